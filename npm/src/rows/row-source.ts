import type { Path } from './paths.ts'
import type { RootRows } from './root-rows.ts'

/** The rows of a collection by slot, as a query over the collection sees them. */
export interface RowSource {
  /** The root collection whose keys and slots these rows share. */
  readonly root: RootRows
  /** The row as applications see it; the same object as long as the row is shown. */
  row(slot: number): object
  /** The value at a path of the row. Throws what a getter of the stored row throws. */
  valueAt(slot: number, path: Path): unknown
  /** Whether the rows show how far they are confirmed otherwise than in what `essence` gives. */
  readonly showsStanding: boolean
  /** What tells two versions of one row apart, leaving out what the engine computes and what only the key decides. */
  essence(slot: number): object
}
