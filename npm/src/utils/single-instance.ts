import { DuplicateDbInstanceError } from '../errors/observers.ts'
import { environmentVariable, isDevelopment } from './environment.ts'

/** Every copy of this package leaves its mark here. */
const MARK = Symbol.for('millrace.instance')
/** Where @tanstack/db leaves its own. */
const TANSTACK_MARK = Symbol.for('@tanstack/db/instance-marker')

type Marked = { [MARK]?: object; [TANSTACK_MARK]?: unknown }

/** What tells this copy from others. */
const self = {}
let checked = false

/**
 * Sees to it, once, that a page uses one copy of this package: rows, classes and transactions of two would be foreign to each
 * other. Called when the first collection is made and not when the package is loaded, so that loading it has no effect and
 * bundlers may drop it when nothing is used. Only checked while developing, in the top window of a page.
 *
 * @tanstack/db in the same page is allowed, since source adapters that bring it along work; as the collections of one are
 * foreign to the other's query builders and hooks, a warning says how to make it one.
 *
 * @throws DuplicateDbInstanceError if another copy has made a collection in this page.
 */
export function assertOnlyInstance(): void {
  if (checked) return
  if (!isDevelopment() || !inTopWindow() || environmentVariable('TANSTACK_DB_DISABLE_DUP_CHECK') === '1') {
    checked = true
    return
  }
  const page = globalThis as Marked
  if (page[MARK] !== undefined && page[MARK] !== self) throw new DuplicateDbInstanceError()
  page[MARK] = self
  checked = true
  if (page[TANSTACK_MARK] !== undefined) {
    console.warn(
      'Both @tanstack/db and millrace are loaded in this page. Their collections do not mix in queries and hooks: ' +
        'let the bundler resolve @tanstack/db to millrace, unless they are meant to be used apart',
    )
  }
}

function inTopWindow(): boolean {
  const { window, document } = globalThis as { window?: Window; document?: unknown }
  if (window === undefined || document === undefined) return false
  try {
    return window === window.top
  } catch {
    // A window that may not look at the one around it. Whatever that is, this is the top of its own origin.
    return true
  }
}
