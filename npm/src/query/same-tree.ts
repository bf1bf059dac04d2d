import type { SelectNode } from './ir.ts'

/**
 * Whether two expressions are written alike: the same nodes over the same references and constants. The names of aggregates
 * compare without regard to case. O(nodes).
 */
export function sameTree(a: SelectNode, b: SelectNode): boolean {
  if (a === b) return true
  if (a.type === 'ref') {
    return (
      b.type === 'ref' && a.path.length === b.path.length && a.path.every((name, i) => name === b.path[i])
    )
  }
  if (a.type === 'val') return b.type === 'val' && sameConstant(a.value, b.value)
  if (a.type === 'func') return b.type === 'func' && a.name === b.name && sameList(a.args, b.args)
  if (a.type === 'agg') {
    return b.type === 'agg' && a.name.toLowerCase() === b.name.toLowerCase() && sameList(a.args, b.args)
  }
  return false
}

function sameList(a: readonly SelectNode[], b: readonly SelectNode[]): boolean {
  return a.length === b.length && a.every((node, i) => sameTree(node, b[i] as SelectNode))
}

function sameConstant(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (a instanceof Date && b instanceof Date) return Object.is(a.getTime(), b.getTime())
  return (
    Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((v, i) => sameConstant(v, b[i]))
  )
}
