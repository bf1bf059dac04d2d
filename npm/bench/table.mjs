/** Text and markdown tables from the same rows, and the number formats of the report. */

/** Three significant digits for anything from nanoseconds in milliseconds to megabytes. */
export function short(value) {
  if (value === undefined || value === null || !Number.isFinite(value)) return '–'
  if (value === 0) return '0'
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US')
  return String(Number(value.toPrecision(value < 0.01 ? 2 : 3)))
}

/** A ratio with its sign, or a dash. */
export const times = (value) => (Number.isFinite(value) ? `${short(value)}x` : '–')

/** Bytes as MB with two decimals. */
export const megabytes = (bytes) => (Number.isFinite(bytes) ? (bytes / 1e6).toFixed(2) : '–')

/** Aligned columns: the first to the left, the others to the right. */
export function textTable(head, rows) {
  const lines = [head, ...rows].map((row) => row.map(String))
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column].length)))
  const pad = (cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]))
  const rule = widths.map((width) => '-'.repeat(width)).join('  ')
  const [first, ...rest] = lines.map((line) => line.map(pad).join('  ').trimEnd())
  return [first, rule, ...rest].join('\n')
}

/** The same as a markdown table. */
export function markdownTable(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map((_, i) => (i === 0 ? '---' : '--:'))), ...rows.map(line)].join('\n')
}

/** Headed tables with remarks as one markdown text, behind a list of what was measured and where. */
export function markdownDocument(preface, sections) {
  return [
    preface.map((line) => `- ${line}`).join('\n'),
    ...sections.flatMap(({ heading, table, notes }) => [
      heading,
      markdownTable(...table),
      ...notes.map((note) => `${note.replace(/\.?$/, '.')}`),
    ]),
  ].join('\n\n')
}
