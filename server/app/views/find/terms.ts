/** The words of a search text, and how they match. */

/** Words of a text that count. */
const maxWords = 50

/** Splits a text into words and phrases in quotes. */
export function wordsOf(text: string): string[] {
  return [...new Set(text.match(/"[^"]*"|\S+/g))].slice(0, maxWords)
}

/** Returns the terms to search for, without quotes. `*` matches everything. */
export function termsOf(words: readonly string[]): string[] {
  return words
    .map((word) => word.replaceAll('"', '').trim().toLowerCase())
    .filter((term) => term !== '' && term !== '*')
}

/** A term matches at the beginning of a word, in any letter case. In scripts without spaces, it matches anywhere. */
export function patternOf(term: string): RegExp {
  const escaped = term.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
  const begins =
    /^[\p{L}\p{N}]/u.test(term) && !/[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}]/u.test(term)
  return new RegExp(begins ? `(?<![\\p{L}\\p{N}])${escaped}` : escaped, 'iu')
}
