declare const process: { readonly env: Readonly<Record<string, string | undefined>> }

/**
 * Whether this is a development or test build. Bundlers replace the expression by a constant and drop what depends on it;
 * where neither they nor the host know of `process`, as in a page without a bundler, the answer is no.
 */
export function isDevelopment(): boolean {
  try {
    return process.env.NODE_ENV !== 'production'
  } catch {
    return false
  }
}

/** A variable of the environment, if there is an environment. */
export function environmentVariable(name: string): string | undefined {
  try {
    return process.env[name]
  } catch {
    return undefined
  }
}
