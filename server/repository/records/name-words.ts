/** The words of display names, by which search finds accounts. */

/** A display name has at most 64 characters. Records may be stored unvalidated: longer ones are cut. */
const maxWords = 16
const maxLength = 64

/** Returns the words of a display name in lower case and without accents; empty unless the value is a text. */
export function wordsOf(name: unknown): string[] {
  if (typeof name !== 'string') return []
  const plain = name
    .slice(0, maxWords * maxLength)
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
  const words = plain.match(/[\p{L}\p{N}]+/gu) ?? []
  return words.slice(0, maxWords).map((word) => word.slice(0, maxLength))
}
