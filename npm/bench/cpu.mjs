import fs from 'node:fs'

/**
 * On-CPU time of the main thread.
 *
 * Wall time on a shared machine counts the neighbours. On Linux the scheduler keeps the time a thread really ran
 * in /proc/self/task/<tid>/schedstat, in nanoseconds, and brings it up to date when the thread asks for its own
 * resource usage; otherwise only at a timer tick. So each reading first asks, then reads the file.
 * Helper threads (garbage collection, compilation) are not counted, for any engine.
 */

const scratch = Buffer.alloc(128)

function openSchedstat() {
  if (process.platform !== 'linux') return -1
  try {
    const fd = fs.openSync(`/proc/self/task/${process.pid}/schedstat`)
    return readSchedstat(fd) > 0 ? fd : -1
  } catch {
    return -1
  }
}

function readSchedstat(fd) {
  process.cpuUsage()
  fs.readSync(fd, scratch, 0, scratch.length, 0)
  let nanoseconds = 0
  for (let i = 0; scratch[i] >= 48 && scratch[i] <= 57; i++)
    nanoseconds = nanoseconds * 10 + (scratch[i] - 48)
  return nanoseconds
}

const schedstat = openSchedstat()

function processTime() {
  const usage = process.cpuUsage()
  return (usage.user + usage.system) / 1000
}

/** Milliseconds the main thread has run so far (or the whole process where the platform tells no better). */
export const cpuNow = schedstat >= 0 ? () => readSchedstat(schedstat) / 1e6 : processTime

/** Which clock `cpuNow` reads; printed with the results. */
export const clockName =
  schedstat >= 0
    ? 'main-thread on-CPU time (schedstat)'
    : 'process CPU time (no schedstat here: helper threads are counted too, take ratios with care)'

/** Least cost of one pair of readings in milliseconds; it is subtracted from every measurement. */
export function clockOverhead() {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < 5000; i++) {
    const start = cpuNow()
    const spent = cpuNow() - start
    if (spent < least) least = spent
  }
  return least
}
