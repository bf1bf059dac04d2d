import { EngineCommandError } from '../errors/engine.ts'
import { EmptyReferencePathError, LimitOffsetRequireOrderByError } from '../errors/query.ts'

const NAMES = [
  '',
  'BadMessage',
  'UnknownCollection',
  'StatusTransition',
  'DuplicateKeySync',
  'LimitOffsetRequireOrderBy',
  'UnknownFunction',
  'UnknownExpression',
  'EmptyReferencePath',
  'UnsafeAliasPath',
  'PullFailed',
  'QueryFailed',
  'LimitExceeded',
  'EngineBroken',
] as const

/** The error for a command that the engine refused. Most faults of queries are found before they are sent. */
export function refusal(code: number, path: string, message: string): Error {
  switch (NAMES[code]) {
    case 'LimitOffsetRequireOrderBy':
      return new LimitOffsetRequireOrderByError()
    case 'EmptyReferencePath':
      return new EmptyReferencePathError()
    default:
      return new EngineCommandError(NAMES[code] ?? code, path === '' ? message : `${path}: ${message}`)
  }
}
