/** Up to this many elements are taken out one by one. */
const FEW = 16

/**
 * Empties a list that is filled again soon. Setting `length` leaves compiled code and gives the storage back, which takes
 * longer than taking out a few elements.
 */
export function emptyList(list: unknown[]): void {
  if (list.length > FEW) list.length = 0
  else while (list.length > 0) list.pop()
}
