/** Summaries of arbitrary records: members may have any value. */

export interface Summary {
  /** The text to show; undefined if the record has none. */
  readonly text: string | undefined
  /** The AT URI of the record, or the DID of the account that it refers to. */
  readonly subject: string | undefined
}

const textMembers = ['text', 'displayName', 'name', 'title', 'description', 'status'] as const

export function summaryOf(value: unknown): Summary {
  const record = objectOf(value)
  const texts = textMembers.map((name) => record[name])
  const { subject, post, list } = record
  const subjects = [objectOf(subject).uri, subject, post, list]
  return { text: texts.find(isText), subject: subjects.find(isText) }
}

/** The creation time that the author states, as ISO 8601; undefined if there is none. */
export function createdAtOf(value: unknown): string | undefined {
  const { createdAt } = objectOf(value)
  return isText(createdAt) && !Number.isNaN(Date.parse(createdAt)) ? createdAt : undefined
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}
