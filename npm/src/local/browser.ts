import type { StorageApi, StorageEventApi } from '../types/local.ts'

interface Window {
  readonly window?: { readonly localStorage?: StorageApi } & Partial<StorageEventApi>
}

/** The storage of the page, if there is one that may be used. */
export function browserStorage(): StorageApi | undefined {
  try {
    return (globalThis as Window).window?.localStorage ?? undefined
  } catch {
    // A page that may not store anything throws when it looks.
    return undefined
  }
}

/** Where the page hears of other tabs' writes; nowhere outside a page. */
export function browserEvents(): StorageEventApi {
  const { window } = globalThis as Window
  if (typeof window?.addEventListener === 'function') return window as StorageEventApi
  return { addEventListener() {}, removeEventListener() {} }
}

/** A storage that lasts as long as what refers to it. */
export function memoryStorage(): StorageApi {
  const items = new Map<string, string>()
  return {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => {
      items.set(key, value)
    },
    removeItem: (key) => {
      items.delete(key)
    },
  }
}
