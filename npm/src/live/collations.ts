import { Command, type Session } from '../collection/session.ts'
import type { StringCollationConfig } from '../types/rows.ts'

/** Strings by code unit: the engine's own order. */
const LEXICAL = 0
const FIRST_ID = 2
const ASCII_AS_ROOT = 1

/** Printable ASCII in the order of the root collation, which the engine has a table of. */
const ROOT_ORDER =
  ' _-,;:!?.\'"()[]{}@*/\\&#%`^+<=>|~$0123456789aAbBcCdDeEfFgGhHiIjJkKlLmMnNoOpPqQrRsStTuUvVwWxXyYzZ'

type LocaleOrder = Exclude<StringCollationConfig, { readonly stringSort?: 'lexical' }>

/** The string orders that queries have asked for, each declared to the engine once. */
export class Collations {
  readonly #session: Session
  readonly #ids = new Map<string, number>()

  constructor(session: Session) {
    this.#session = session
  }

  /** The engine's number of a string order. Throws RangeError for a locale that is none. */
  idOf(config: StringCollationConfig): number {
    if (config.stringSort === 'lexical') return LEXICAL
    const { locale, localeOptions } = config as LocaleOrder
    // The order of nearly every query; writing its name would take longer than all the rest.
    const plain = locale === undefined && localeOptions === undefined
    const name = plain ? '' : JSON.stringify([locale, localeOptions])
    const known = this.#ids.get(name)
    if (known !== undefined) return known
    const collator = new Intl.Collator(locale, localeOptions)
    const id = FIRST_ID + this.#ids.size
    const command = this.#session.begin(2, Command.collation)
    command.int(id)
    command.int(localeOptions === undefined && isRoot(collator) ? ASCII_AS_ROOT : 0)
    this.#session.send(command)
    this.#session.dictionary.setCollation(id, collator.compare)
    this.#ids.set(name, id)
    return id
  }
}

/** Whether a collator orders printable ASCII as the root collation does, as far as one character at a time tells. */
function isRoot(collator: Intl.Collator): boolean {
  const { locale } = collator.resolvedOptions()
  if (locale !== 'en' && !locale.startsWith('en-')) return false
  return Array.from(ROOT_ORDER).sort(collator.compare).join('') === ROOT_ORDER && isStrict(collator)
}

function isStrict(collator: Intl.Collator): boolean {
  for (let i = 1; i < ROOT_ORDER.length; i++) {
    if (collator.compare(ROOT_ORDER[i - 1] as string, ROOT_ORDER[i] as string) >= 0) return false
  }
  return true
}
