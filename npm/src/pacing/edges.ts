/** When within a span of time something is sent: at its start, at its end, or both. */
export interface Edges {
  readonly leading: boolean
  readonly trailing: boolean
}

/**
 * The edges of an app's choice: `unsaid` if it says nothing, and what it leaves open is the opposite of what it
 * says, so that something is always sent.
 */
export function edgesOf(
  name: string,
  given: { readonly leading?: boolean; readonly trailing?: boolean },
  unsaid: Edges,
): Edges {
  const { leading, trailing } = given
  if (leading === undefined && trailing === undefined) return unsaid
  const edges = { leading: leading ?? !trailing, trailing: trailing ?? !leading }
  if (edges.leading || edges.trailing) return edges
  throw new TypeError(`${name} would never send anything: leading and trailing are both false. Leave one out`)
}
