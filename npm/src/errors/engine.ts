/** Errors of the engine itself. Their `cause` is what the engine or the host reported, if anything. */
import { TanStackDBError } from './base.ts'

/** The engine module could not be started. Nothing works until the page or process is started again. */
export class EngineStartError extends TanStackDBError {
  constructor(reason: string, options?: ErrorOptions) {
    super(
      `The engine could not be started: ${reason}. Check that WebAssembly is available and that a ` +
        `content security policy, if any, allows 'wasm-unsafe-eval'`,
      options,
    )
    this.name = 'EngineStartError'
  }
}

/** The package's two halves do not belong together. */
export class EngineVersionError extends TanStackDBError {
  constructor(expected: string | number, actual: string | number, options?: ErrorOptions) {
    super(
      `The engine speaks protocol version ${String(actual)}, this package needs ${String(expected)}: several ` +
        `versions of the package are loaded. Install one version, and rebuild what bundles another`,
      options,
    )
    this.name = 'EngineVersionError'
  }
}

/** The engine stopped for good. All collections of the process are lost; later calls throw this again. */
export class EngineCrashedError extends TanStackDBError {
  constructor(reason: string, options?: ErrorOptions) {
    super(
      `The engine crashed and cannot go on: ${reason}. Reload the page or restart the process, ` +
        `and please report what led to it`,
      options,
    )
    this.name = 'EngineCrashedError'
  }
}

/** The engine refused a command and did nothing. `code` names the reason. */
export class EngineCommandError extends TanStackDBError {
  readonly code: string | number

  constructor(code: string | number, message: string, options?: ErrorOptions) {
    super(
      `The engine refused a command (${String(code)}): ${message}. Its state is unchanged; ` +
        `correct the call that led to it`,
      options,
    )
    this.name = 'EngineCommandError'
    this.code = code
  }
}
