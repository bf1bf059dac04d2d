/**
 * Reports an error nobody up the stack can be given: thrown from a microtask, it reaches the host's handler for
 * uncaught errors.
 */
export function reportError(error: unknown): void {
  queueMicrotask(() => {
    throw error
  })
}
