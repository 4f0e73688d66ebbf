/** The mention that is being typed. */

export interface TypedMention {
  /** Where its `@` is, in UTF-16 code units. */
  readonly start: number
  /** The end of the handle, which the caret may be in. */
  readonly end: number
  /** The text between `@` and the caret. */
  readonly query: string
}

const maxLength = 64
/** The character before `@` must be no part of an email address or a path. */
const pattern = /(?<![\w.+%&~@＠/-])[@＠]([\p{L}\p{M}\p{N}_.-]+)$/u

/** Returns the mention that ends at the caret, so that people can be suggested for it. */
export function mentionBefore(text: string, caret: number): TypedMention | undefined {
  const [match, query = ''] = pattern.exec(text.slice(Math.max(0, caret - maxLength), caret)) ?? []
  if (match === undefined) return undefined
  const [rest = ''] = /^[a-z0-9.-]*/i.exec(text.slice(caret, caret + maxLength)) ?? []
  return { start: caret - match.length, end: caret + rest.length, query }
}
