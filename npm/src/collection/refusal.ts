import { EngineCommandError } from '../errors/engine.ts'
import {
  EmptyReferencePathError,
  LimitOffsetRequireOrderByError,
  UnknownExpressionTypeError,
  UnknownFunctionError,
  UnsafeAliasPathError,
} from '../errors/query.ts'

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

/** The error for a command that the engine refused. */
export function refusal(code: number, path: string, message: string): Error {
  switch (NAMES[code]) {
    case 'LimitOffsetRequireOrderBy':
      return new LimitOffsetRequireOrderByError()
    case 'UnknownFunction':
      return new UnknownFunctionError(message)
    case 'UnknownExpression':
      return new UnknownExpressionTypeError(message)
    case 'EmptyReferencePath':
      return new EmptyReferencePathError()
    case 'UnsafeAliasPath':
      return new UnsafeAliasPathError(message)
    default:
      return new EngineCommandError(NAMES[code] ?? code, path === '' ? message : `${path}: ${message}`)
  }
}
