/** Text forms of keys: base58btc with the prefix `z` of multibase. */
const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** Longer texts are no keys. Decoding takes quadratic time. */
const maxLength = 128

/** Encodes bytes. The first one must not be zero. */
export function toMultibase(bytes: readonly number[]): string {
  let number = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n)
  let text = ''
  for (; number > 0n; number /= 58n) text = base58.charAt(Number(number % 58n)) + text
  return `z${text}`
}

/** Decodes bytes whose first one is not zero; undefined for other texts. */
export function fromMultibase(text: string): number[] | undefined {
  if (!/^z[1-9A-HJ-NP-Za-km-z]+$/.test(text) || text.length > maxLength) return undefined
  let number = [...text.slice(1)].reduce((sum, digit) => sum * 58n + BigInt(base58.indexOf(digit)), 0n)
  const bytes: number[] = []
  for (; number > 0n; number /= 256n) bytes.unshift(Number(number % 256n))
  return bytes
}
