import type { BasicExpression, Func } from '../query/ir.ts'
import { isVirtualName } from '../rows/paths.ts'

const COMPARISONS: ReadonlySet<string> = new Set(['eq', 'gt', 'gte', 'lt', 'lte', 'in'])

/** The fields a condition compares with something, of its top-level conjuncts: those an index could serve. */
export function indexableFields(condition: BasicExpression): readonly string[][] {
  if (condition.type !== 'func') return []
  const { name, args } = condition as Func
  if (name === 'and') return args.flatMap((argument) => indexableFields(argument) as string[][])
  const [field] = args
  if (!COMPARISONS.has(name) || field?.type !== 'ref') return []
  return field.path.some(isVirtualName) ? [] : [field.path]
}
