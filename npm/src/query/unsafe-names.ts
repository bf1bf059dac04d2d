/** Names of fields that could reach an object's prototype. */
export const unsafeNames: ReadonlySet<string> = new Set(['__proto__', 'prototype', 'constructor'])
