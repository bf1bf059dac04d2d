import { isDevelopment } from '../utils/environment.ts'

/** Advice to create an index. */
export interface IndexSuggestion {
  readonly type: 'collection-size' | 'slow-query'
  readonly collectionId: string
  /** The path of the field that queries filter, join or order by. */
  readonly fieldPath: readonly string[]
  readonly message: string
  /** For `collection-size`: how many rows there are. */
  readonly collectionSize?: number
  /** For `slow-query`: how long a query takes on average, in milliseconds. */
  readonly queryTimeMs?: number
  /** For `slow-query`: how many queries that is the average of. */
  readonly queryCount?: number
}

/** When to suggest indexes, and to whom. */
export interface IndexDevModeConfig {
  readonly enabled: boolean
  /** Rows above which an index is suggested. Initially 1000. */
  readonly collectionSizeThreshold: number
  /** Average duration, in milliseconds, above which an index is suggested. Initially 10. */
  readonly slowQueryThresholdMs: number
  /** Is given every suggestion; what it throws is ignored. Without it each field is told of once on the console. */
  readonly onSuggestion: ((suggestion: IndexSuggestion) => void) | null
}

/** What was measured of the queries on one field of a collection. */
export interface QueryPattern {
  readonly fieldPath: readonly string[]
  readonly queryCount: number
  readonly totalTimeMs: number
  readonly avgTimeMs: number
}

let config: IndexDevModeConfig = {
  enabled: true,
  collectionSizeThreshold: 1000,
  slowQueryThresholdMs: 10,
  onSuggestion: null,
}
const patterns = new Map<string, QueryPattern>()
const told = new Set<string>()

/** Changes some of the settings. Suggestions are only ever made in development builds. */
export function configureIndexDevMode(changes: Partial<IndexDevModeConfig>): void {
  config = { ...config, ...changes }
}

/** Whether queries are measured and indexes suggested. */
export function isDevModeEnabled(): boolean {
  return config.enabled && isDevelopment()
}

/** The settings as they are. */
export function getIndexDevModeConfig(): IndexDevModeConfig {
  return config
}

/**
 * Counts a query on a field, and suggests an index if such queries are slow on average. Does nothing unless
 * {@link isDevModeEnabled}. Keeps a few numbers per collection and field, until {@link clearQueryPatterns}.
 */
export function trackQuery(
  collectionId: string,
  fieldPath: readonly string[],
  executionTimeMs: number,
): void {
  if (!isDevModeEnabled()) return
  const name = nameOf(collectionId, fieldPath)
  const earlier = patterns.get(name)
  const queryCount = (earlier?.queryCount ?? 0) + 1
  const totalTimeMs = (earlier?.totalTimeMs ?? 0) + executionTimeMs
  const avgTimeMs = totalTimeMs / queryCount
  patterns.set(name, { fieldPath: [...fieldPath], queryCount, totalTimeMs, avgTimeMs })
  if (avgTimeMs <= config.slowQueryThresholdMs) return
  suggest({
    type: 'slow-query',
    collectionId,
    fieldPath: [...fieldPath],
    message: `Queries on "${fieldPath.join('.')}" take ${avgTimeMs.toFixed(1)} ms on average; an index would make them faster`,
    queryTimeMs: avgTimeMs,
    queryCount,
  })
}

/**
 * Suggests an index on a field by which a collection of many rows is queried without one. Does nothing unless
 * {@link isDevModeEnabled}.
 */
export function noteCollectionSize(
  collectionId: string,
  fieldPath: readonly string[],
  collectionSize: number,
): void {
  if (!isDevModeEnabled() || collectionSize <= config.collectionSizeThreshold) return
  suggest({
    type: 'collection-size',
    collectionId,
    fieldPath: [...fieldPath],
    message: `The collection has ${collectionSize} rows and is queried by "${fieldPath.join('.')}"; an index would make that faster`,
    collectionSize,
  })
}

/** Forgets what was measured, and which fields the console was told of. */
export function clearQueryPatterns(): void {
  patterns.clear()
  told.clear()
}

/** What was measured, by collection id and field path as in `todos:author.name`. A copy. */
export function getQueryPatterns(): Map<string, QueryPattern> {
  return new Map(patterns)
}

function nameOf(collectionId: string, fieldPath: readonly string[]): string {
  return `${collectionId}:${fieldPath.join('.')}`
}

function suggest(suggestion: IndexSuggestion): void {
  if (config.onSuggestion) {
    try {
      config.onSuggestion(suggestion)
    } catch {
      // Advice to developers must not break what it is about.
    }
    return
  }
  const { type, collectionId, fieldPath, message } = suggestion
  const once = `${type} ${nameOf(collectionId, fieldPath)}`
  if (told.has(once)) return
  told.add(once)
  console.warn(
    `Index suggestion for the collection "${collectionId}": ${message}. ` +
      `Create it with collection.createIndex((row) => row${fieldPath.map(accessor).join('')})`,
  )
}

function accessor(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`
}
