import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import list from './exports.json' with { type: 'json' }
import { packageDir } from './pack.ts'

/**
 * What the package root exports, held against a list that is checked in: every name of @tanstack/db 0.8.2 in an area that
 * is complete, and what this package adds. A name of another area that is not there yet has to be in the list of missing
 * ones, so that gaining one shows as well as losing one.
 */
type Kind = 'class' | 'function' | 'value'
const values: Readonly<Record<string, Readonly<Record<string, string>>>> = list.values
const types: Readonly<Record<string, readonly string[]>> = list.types
const wantedValues = new Map<string, string>(Object.values(values).flatMap((area) => Object.entries(area)))
const wantedTypes = Object.values(types).flat()

const sorted = (names: Iterable<string>): string[] => [...names].sort()
const without = (names: Iterable<string>, others: Iterable<string>): string[] => {
  const gone = new Set(others)
  return sorted(names).filter((name) => !gone.has(name))
}

const modules = {
  'index.js': (await import(join(packageDir, 'dist/index.js'))) as Record<string, unknown>,
  'index.cjs': createRequire(import.meta.url)(join(packageDir, 'dist/index.cjs')) as Record<string, unknown>,
}

function kindOf(value: unknown): Kind {
  if (typeof value !== 'function') return 'value'
  return /^class\b/.test(Function.prototype.toString.call(value)) ? 'class' : 'function'
}

/** Names a declaration file exports as types only. */
function declaredTypes(file: string): string[] {
  const program = ts.createProgram([file], { skipLibCheck: true, module: ts.ModuleKind.ESNext })
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(file)
  const symbol = source && checker.getSymbolAtLocation(source)
  if (symbol === undefined) throw new Error(`${file} exports nothing`)
  return checker.getExportsOfModule(symbol).flatMap((exported) => {
    const { flags } = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
    return flags & (ts.SymbolFlags.Value | ts.SymbolFlags.Module) ? [] : [exported.name]
  })
}

const declared = declaredTypes(join(packageDir, 'dist/index.d.ts'))

describe('the list', () => {
  it('holds every name of @tanstack/db 0.8.2 once', () => {
    expect(Object.values(values).flatMap((area) => Object.keys(area))).toHaveLength(206)
    expect(wantedValues.size).toBe(206)
    expect(wantedTypes).toHaveLength(172)
    expect(new Set(wantedTypes).size).toBe(172)
  })

  it('has missing names in incomplete areas alone', () => {
    const inAreas = (of: Readonly<Record<string, Iterable<string>>>): string[] =>
      list.incomplete.flatMap((area) => [...(of[area] ?? [])])
    const names = Object.fromEntries(Object.entries(values).map(([area, all]) => [area, Object.keys(all)]))
    expect(without(list.missing.values, inAreas(names))).toEqual([])
    expect(without(list.missing.types, inAreas(types))).toEqual([])
  })
})

describe.each(Object.entries(modules))('%s', (_, module) => {
  it('exports every value of the list that is not missing, what the package adds, and nothing else', () => {
    const expected = [...without(wantedValues.keys(), list.missing.values), ...Object.keys(list.own.values)]
    expect(sorted(Object.keys(module))).toEqual(sorted(expected))
  })

  it('exports things of the right kind', () => {
    const wanted = new Map([...wantedValues, ...Object.entries(list.own.values)])
    const wrong = Object.entries(module).filter(([name, value]) => kindOf(value) !== wanted.get(name))
    expect(wrong.map(([name, value]) => `${name} is a ${kindOf(value)}`)).toEqual([])
  })
})

describe('index.d.ts', () => {
  it('exports every type of the list that is not missing, what the package adds, and nothing else', () => {
    const expected = [...without(wantedTypes, list.missing.types), ...list.own.types]
    expect(sorted(declared)).toEqual(sorted(expected))
  })

  it('is the list of the type tests', () => {
    const path = fileURLToPath(new URL('../types/exports.test-d.ts', import.meta.url))
    const names = /export type \{([^}]*)\}/.exec(readFileSync(path, 'utf8'))?.[1]?.match(/\w+/g)
    const expected = [...without(wantedTypes, list.missing.types), ...list.own.types]
    expect(sorted(names ?? [])).toEqual(sorted(expected))
  })
})

it('says what is still missing', () => {
  const missing = { values: sorted(list.missing.values), types: sorted(list.missing.types) }
  console.log(`still missing: ${missing.values.join(', ') || 'no value'}`)
  console.log(`still missing of types: ${missing.types.join(', ') || 'none'}`)
  expect(missing).toEqual({
    values: without(wantedValues.keys(), Object.keys(modules['index.js'])),
    types: without(wantedTypes, declared),
  })
})
