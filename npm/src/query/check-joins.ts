/** Rules of joins. */
import {
  InvalidJoinCondition,
  InvalidJoinConditionLeftSourceError,
  InvalidJoinConditionRightSourceError,
  InvalidJoinConditionSameSourceError,
  InvalidJoinConditionSourceMismatchError,
  UnsupportedJoinSourceTypeError,
  UnsupportedJoinTypeError,
} from '../errors/joins.ts'
import { aliasesIn, checkExpression } from './check-expressions.ts'
import type { JoinClause } from './ir.ts'

const joinTypes: ReadonlySet<string> = new Set(['inner', 'left', 'right', 'full'])
const sourceTypes: ReadonlySet<string> = new Set(['collectionRef', 'queryRef', 'selfRef'])

/**
 * Checks one join against the aliases that are there before it.
 * @throws JoinError: the leaf class names the rule that is broken.
 */
export function checkJoin(
  { from, type, left, right }: JoinClause,
  before: ReadonlySet<string>,
  over: string,
): void {
  const { alias } = from
  if (!joinTypes.has(type)) throw new UnsupportedJoinTypeError(type, alias)
  if (!sourceTypes.has(from.type)) throw new UnsupportedJoinSourceTypeError(from.type, alias)
  const place = { name: `the join condition of "${alias}" in ${over}`, aliases: undefined }
  checkExpression(left, place)
  checkExpression(right, place)
  let sources = aliasesIn(left)
  let joined = aliasesIn(right)
  if (sources.size === 0 || joined.size === 0) throw new InvalidJoinConditionSourceMismatchError(alias)
  const [same] = sources
  if (same !== undefined && sources.size === 1 && joined.size === 1 && joined.has(same)) {
    throw new InvalidJoinConditionSameSourceError(same)
  }
  // Either side may be written first.
  if (sources.has(alias) && !joined.has(alias)) [sources, joined] = [joined, sources]
  const isJoinedAlone = joined.size === 1 && joined.has(alias)
  if (sources.has(alias) || (joined.has(alias) && !isJoinedAlone)) throw new InvalidJoinCondition(alias)
  for (const source of sources) {
    if (!before.has(source)) throw new InvalidJoinConditionLeftSourceError(source)
  }
  if (!isJoinedAlone) throw new InvalidJoinConditionRightSourceError(alias)
}
