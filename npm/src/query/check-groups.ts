/** Rules of groups and of aggregates. */
import {
  AggregateFunctionNotInSelectError,
  NonAggregateExpressionNotInGroupByError,
  UnknownHavingExpressionTypeError,
} from '../errors/joins.ts'
import { hasAggregate } from './check-expressions.ts'
import {
  type Aggregate,
  type BasicExpression,
  type Expression,
  isSelectNode,
  parseSpreadKey,
  type QueryIR,
  type SelectEntry,
} from './ir.ts'
import { sameTree } from './same-tree.ts'

/** Whether a query has one row per group: it says by what to group, or selects an aggregate. */
export function isGrouped({ groupBy = [], select }: QueryIR): boolean {
  return groupBy.length > 0 || (select !== undefined && entryHasAggregate(select))
}

function entryHasAggregate(entry: SelectEntry): boolean {
  if (entry === true) return false
  if (!isSelectNode(entry)) return Object.values(entry).some(entryHasAggregate)
  if (entry.type === 'includesSubquery') return false
  if (entry.type !== 'conditionalSelect') return hasAggregate(entry)
  const { branches, defaultValue } = entry
  return (
    branches.some(({ condition, value }) => hasAggregate(condition) || entryHasAggregate(value)) ||
    (defaultValue !== undefined && entryHasAggregate(defaultValue))
  )
}

/**
 * Checks that all a grouped query selects has one value per group.
 * @throws NonAggregateExpressionNotInGroupByError
 */
export function checkGroupedSelect({ groupBy = [], select }: QueryIR): void {
  if (groupBy.length === 0 || select === undefined) return
  if (isSelectNode(select)) checkField(select, groupBy, 'the selected value')
  else
    for (const [field, entry] of Object.entries(select)) checkField(entry, groupBy, fieldName(field, entry))
}

function fieldName(field: string, entry: SelectEntry): string {
  const spread = entry === true ? parseSpreadKey(field) : undefined
  return spread === undefined ? field : `...${spread.join('.')}`
}

function checkField(entry: SelectEntry, groups: readonly BasicExpression[], field: string): void {
  const isGroup = entry !== true && isSelectNode(entry) && groups.some((group) => sameTree(group, entry))
  if (isGroup) return
  if (!entryHasAggregate(entry)) throw new NonAggregateExpressionNotInGroupByError(field)
  checkInside(entry, groups, field)
}

/** In what is made of aggregates, constants may stand, and references if they are to what is grouped by. */
function checkInside(entry: SelectEntry, groups: readonly BasicExpression[], field: string): void {
  if (entry === true) throw new NonAggregateExpressionNotInGroupByError(field)
  if (!isSelectNode(entry)) {
    for (const [name, inner] of Object.entries(entry)) {
      checkInside(inner, groups, `${field}.${fieldName(name, inner)}`)
    }
    return
  }
  switch (entry.type) {
    case 'val':
    case 'agg':
      return
    case 'conditionalSelect':
      for (const { condition, value } of entry.branches) {
        checkInside(condition, groups, field)
        checkInside(value, groups, field)
      }
      if (entry.defaultValue !== undefined) checkInside(entry.defaultValue, groups, field)
      return
    default:
      if (groups.some((group) => sameTree(group, entry))) return
      if (entry.type !== 'func') throw new NonAggregateExpressionNotInGroupByError(field)
      for (const argument of entry.args) checkInside(argument, groups, field)
  }
}

/** The check of an aggregate outside of select: it must be one of the fields that are selected. */
export function selectedAggregate({ select }: QueryIR, clause: string): (aggregate: Aggregate) => void {
  const entries = select === undefined ? [] : isSelectNode(select) ? [select] : Object.values(select)
  return (aggregate) => {
    if (!entries.some((entry) => entry !== true && isSelectNode(entry) && sameTree(aggregate, entry))) {
      throw new AggregateFunctionNotInSelectError(aggregate.name, clause)
    }
  }
}

const nodeTypes: ReadonlySet<string> = new Set(['ref', 'val', 'func', 'agg'])

/**
 * Checks that a predicate over groups is made of known nodes.
 * @throws UnknownHavingExpressionTypeError
 */
export function checkHavingNodes(expression: Expression): void {
  if (!nodeTypes.has(expression.type)) throw new UnknownHavingExpressionTypeError(String(expression.type))
  if (expression.type === 'func') for (const argument of expression.args) checkHavingNodes(argument)
}
