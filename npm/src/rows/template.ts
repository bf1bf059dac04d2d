import { copyFields } from './build.ts'
import type { Path } from './paths.ts'
import { reportError } from './report-error.ts'
import type { RowSource } from './row-source.ts'

/** How one field of a result row is made. */
export type Member =
  /** The value at a path of the source row. */
  | { readonly kind: 'value'; readonly name: string; readonly path: Path }
  /** The source row itself. */
  | { readonly kind: 'row'; readonly name: string }
  | { readonly kind: 'constant'; readonly name: string; readonly value: unknown }
  /** A field the engine computes: the number of its byte. */
  | { readonly kind: 'computed'; readonly name: string; readonly index: number }
  | { readonly kind: 'object'; readonly name: string; readonly members: readonly Member[] }
  /** All fields of the object at a path; undefined: of the source row. */
  | { readonly kind: 'spread'; readonly path: Path | undefined }

/** How the rows of a select are made. */
export interface Template {
  /** In authoring order; a later field replaces an earlier one of the same name. */
  readonly members: readonly Member[]
  /** Number of fields the engine computes. */
  readonly computed: number
}

/** Whether rows of a template carry the `$origin` of the source rows, or all of their virtual properties. */
export function takesStanding(members: readonly Member[]): boolean {
  return members.some((member) => {
    switch (member.kind) {
      case 'row':
        return true
      case 'value':
        return member.path.names[0] === '$origin'
      case 'spread':
        return member.path === undefined
      case 'object':
        return takesStanding(member.members)
      default:
        return false
    }
  })
}

/** Makes the row of a slot. `computed` holds a byte per computed field: 0 false, 1 true, else null. */
export function assemble(
  template: Template,
  source: RowSource,
  slot: number,
  computed: Uint8Array | undefined,
): object {
  return fields(template.members, source, slot, computed)
}

function fields(
  members: readonly Member[],
  source: RowSource,
  slot: number,
  computed: Uint8Array | undefined,
): object {
  const row: Record<string, unknown> = {}
  for (const member of members) {
    switch (member.kind) {
      case 'value':
        row[member.name] = read(source, slot, member.path)
        break
      case 'row':
        row[member.name] = source.row(slot)
        break
      case 'constant':
        row[member.name] = member.value ?? null
        break
      case 'computed':
        row[member.name] = truth(computed?.[member.index])
        break
      case 'object':
        row[member.name] = fields(member.members, source, slot, computed)
        break
      case 'spread':
        spread(row, member.path === undefined ? source.row(slot) : read(source, slot, member.path))
    }
  }
  return row
}

/** A value whose getter throws is undefined; what it throws is reported. */
function read(source: RowSource, slot: number, path: Path): unknown {
  try {
    return source.valueAt(slot, path)
  } catch (error) {
    reportError(error)
    return undefined
  }
}

function spread(row: object, value: unknown): void {
  if (typeof value === 'object' && value !== null) copyFields(row, value)
}

function truth(byte: number | undefined): boolean | null {
  return byte === 1 ? true : byte === 0 ? false : null
}
