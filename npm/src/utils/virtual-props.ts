import type { VirtualRowProps } from '../types/rows.ts'

/** Whether a value carries the four properties that collections add to their rows, inherited ones included. */
export function hasVirtualProps(value: unknown): value is VirtualRowProps {
  return (
    typeof value === 'object' &&
    value !== null &&
    '$synced' in value &&
    '$origin' in value &&
    '$key' in value &&
    '$collectionId' in value
  )
}
