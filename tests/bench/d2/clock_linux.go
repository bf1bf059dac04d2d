package main

import (
	"syscall"
	"time"
	"unsafe"
)

// clockName is told with the results.
const clockName = "thread CPU time (clock_gettime)"

const threadCPUTime = 3 // CLOCK_THREAD_CPUTIME_ID

// cpuNow is the time the calling thread has run so far, which must be locked to
// its goroutine.
func cpuNow() time.Duration {
	var ts syscall.Timespec
	if _, _, e := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, threadCPUTime, uintptr(unsafe.Pointer(&ts)), 0); e != 0 {
		panic(e)
	}
	return time.Duration(ts.Nano())
}
