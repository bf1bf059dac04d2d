import { Path, type VirtualValues } from './paths.ts'

/** Gives values that are equal the same name, and others another. */
export interface Names {
  nameOf(value: unknown): string
}

const MARK = '\0has '

/**
 * The last step of a path that asks whether the list at the path has a member. To the engine it is a name like
 * any other, so the path is a column of true and false.
 */
export function memberStep(member: unknown, names: Names): string {
  return MARK + names.nameOf(member)
}

/** The path that the engine means by a list of names. */
export function pathOfNames(names: readonly string[], of: Names): Path {
  const last = names.at(-1)
  return last?.startsWith(MARK)
    ? new MemberPath(names.slice(0, -1), last.slice(MARK.length), of)
    : new Path(names)
}

/** Whether the value at a path is an array with a certain member. */
class MemberPath extends Path {
  readonly #member: string
  readonly #names: Names

  constructor(names: readonly string[], member: string, of: Names) {
    super(names)
    this.#member = member
    this.#names = of
  }

  override read(row: object): boolean {
    return this.#isIn(super.read(row))
  }

  override readVirtual(row: object, virtual: VirtualValues): boolean {
    return this.#isIn(super.readVirtual(row, virtual))
  }

  #isIn(list: unknown): boolean {
    return Array.isArray(list) && list.some((value) => this.#names.nameOf(value) === this.#member)
  }
}
