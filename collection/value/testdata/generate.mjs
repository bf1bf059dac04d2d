// Writes the vectors the Go tests compare with: what JavaScript itself answers.
// Run `node generate.mjs` in this folder; the output is the same every time.
//
// Strings are lists of UTF-16 code units, so that lone surrogates survive JSON.
import { writeFileSync } from 'node:fs'

let state = 1
const random = (n) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0
  return Math.floor((state / 2 ** 32) * n)
}
const randomString = (alphabet, maxLength) =>
  Array.from({ length: random(maxLength + 1) }, () => alphabet[random(alphabet.length)]).join('')
const units = (s) => Array.from({ length: s.length }, (_, i) => s.charCodeAt(i))
const write = (name, lines) => writeFileSync(name, `[\n${lines.map((l) => JSON.stringify(l)).join(',\n')}\n]\n`)

// collate.json: rows of signs over all pairs of printable characters, then pairs of strings.
const collator = new Intl.Collator('en')
const printable = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i))
const sign = (a, b) => '<=>'[Math.sign(collator.compare(a, b)) + 1]
const collate = printable.map((a) => printable.map((b) => sign(a, b)).join(''))
for (const alphabet of ['aAbB', 'aA-_ ', 'zZ9.$', "a'B 1", printable]) {
  for (let i = 0; i < 500; i++) {
    const a = randomString(alphabet, 6)
    const b = randomString(alphabet, 6)
    collate.push([a, b, sign(a, b)])
  }
}
write('collate.json', collate)

// relate.json: the operands, then per operand a row with one base-32 digit per other
// operand: < is bit 0, <= 1, > 2, >= 3, equality 4.
const operands = [
  ...[false, true].map((v) => ['bool', v]),
  ...[0, 1, -1, 2, 10, 0.5, -0.5, 1.5, 255, 2 ** 53, 2 ** 53 + 2, 2 ** 63, -(2 ** 63), 1e18, 1e21, 1e300, 5e-324, Infinity, -Infinity]
    .map((v) => ['number', v]),
  ...[0, 1, 255, -1, 8.64e15].map((v) => ['date', v]),
  ...[0n, 1n, -1n, 2n, 10n, 255n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n, -(2n ** 63n), -(2n ** 63n) - 1n, 10n ** 18n, 10n ** 18n + 1n, 10n ** 21n,
    10n ** 300n, BigInt(1e300), 10n ** 320n, -(10n ** 320n)].map((v) => ['bigint', v]),
  ...['', ' ', '0', '1', '-1', '+1', '1.0', '1.5', '.5', '1.', '10', '2', '0x1', '0xff', '0XFF', '-0x1', '0b10', '0o7', '0o8', '0x', '1n', '1e1', '1_0', 'x',
    'true', 'Infinity', '-Infinity', 'infinity', 'NaN', '\u00a01\ufeff', '\u200b1', '+', '-', '- 1', '00010', '9007199254740993', '9223372036854775808',
    '0x8000000000000000', '0x1fffffffffffff', '0xDE0B6B3A7640000', '1000000000000000000000', 'a', 'B', 'é', '\ud800', '\udc00', '\ud800x', '\ud83d\ude00',
    '\ue000', '\uffff', 'a\u0000'].map((v) => ['string', v]),
]
const plain = ([kind, v]) => (kind === 'string' ? units(v) : kind === 'bool' ? v : String(v))
const digit = ([ka, a], [kb, b]) => {
  const date = (kind, v) => (kind === 'date' ? new Date(v) : v)
  const x = date(ka, a)
  const y = date(kb, b)
  return ((x < y) | ((x <= y) << 1) | ((x > y) << 2) | ((x >= y) << 3) | ((a === b) << 4)).toString(32)
}
write('relate.json', [
  operands.map(([kind, v]) => [kind, plain([kind, v])]),
  ...operands.map((a) => operands.map((b) => digit(a, b)).join('')),
])

// number.json: a string and the bits of its number.
const bitsOf = (v) => {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, v)
  return view.getBigUint64(0).toString(16)
}
const numerals = operands.filter(([kind]) => kind === 'string').map(([, v]) => v)
numerals.push('0x20000000000001', '0x20000000000003', '0x200000000000011', '0x2000000000000100000000000001', `0b1${'0'.repeat(52)}11`, `0x${'f'.repeat(256)}`,
  `0x${'f'.repeat(255)}`, `0x${'0'.repeat(300)}1`, '0o400000000000000001', '1e400', '-1e400', '1e-400', '-1e-400', '-0', '2.2250738585072011e-308',
  '179769313486231580793728971405301e276', '9007199254740993.0000000000000001', '1e', '1e+', '1e+5', '1E-5', '.', '.e1', '1..', 'e5', '--1', '1 2', '0x 1',
  '\t\n\v\f\r\u2028\u2029\u3000\u1680\u2003\u202f\u205f 7 \u2000', '\u180e1', '\u00851', '0xg', '0B1', '0O17', '0b2', '1e1.5', 'inf', 'nan', '0x1p4', 'Infinityx', '+Infinity')
for (let i = 0; i < 400; i++) numerals.push(randomString('0123456789.e+-x ', 7))
write('number.json', numerals.map((s) => [units(s), bitsOf(Number(s))]))

// like.json: pattern, text, answer of like, answer of ilike.
const regex = (p, flags) => new RegExp(`^${p.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/%/g, '.*').replace(/_/g, '.')}$`, flags)
const like = [['%', ''], ['', ''], ['', 'a'], ['_', ''], ['_', '\ud83d\ude00'], ['__', '\ud83d\ude00'], ['%\ud83d%', '\ud83d\ude00'], ['\ud83d_', '\ud83d\ude00'],
  ['_\ude00', '\ud83d\ude00'], ['a%b', 'a\nb'], ['a_b', 'a\nb'], ['A.b', 'axb'], ['100\\%', '100\\5'], ['ΣΟΦΟΣ', 'σοφος'], ['%ς', 'ΛΌΓΟΣ'], ['i̇%', 'İx'], ['__%', 'İ'],
  ['É%', 'éa'], ['ß', 'ẞ'], ['K', '\u212a'], ['ſ', 's']]
for (const alphabet of ['ab%_', 'aA%_b', ['a', '%', '_', '\ud83d', '\ude00', '\ud83d\ude00'], 'éÉΣa%\'']) {
  const chars = [...alphabet]
  for (let i = 0; i < 150; i++) like.push([randomString(chars, 6), randomString(chars.filter((c) => c !== '%'), 7)])
}
write('like.json', like.map(([p, s]) =>
  [units(p), units(s), regex(p, 's').test(s), regex(p.toLowerCase(), 's').test(s.toLowerCase())]))

// lower.json: a string and its lower case.
const lower = ['', 'ABC', 'İI', 'Σ', 'ΑΣ', 'ΑΣ.', 'ΑΣ\u0301', 'ΑΣΑ', 'ΑΣ\'Α', 'Α\'Σ', '1Σ', 'Α Σ', 'ᴬΣ', 'Ǆǅǆ', 'ẞ', '𐐀Σ', 'A\ud800Σ', '\ud83d\ude00Σ', 'Ω', 'K', 'Å', 'ΑΣ\u00ad', 'ⓐΣ', 'ªΣ', 'Ⅷ', 'Ⴀ', 'Ა', 'Ꭰ', 'Ꮶ', 'Ω']
for (let i = 0; i < 150; i++) lower.push(randomString(['Σ', 'Α', '\'', '.', ' ', '\u0301', '1', 'ʰ', '·', '^', '%', '_'], 6))
write('lower.json', lower.map((s) => [units(s), units(s.toLowerCase())]))
