/** Names of people. Their owners choose them, on any server, so they may contain anything. */

export interface Named {
  readonly did: string
  readonly handle: string
  readonly displayName?: string | undefined
}

/** Marks of text direction and invisible characters, which would change how the text around a name reads. */
const invisible = /[\p{Cc}\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF]/gu
/** More combining marks than any language puts on one letter. */
const surplusMarks = /(\p{M}{4})\p{M}+/gu
const maxLength = 64

/** Returns the name of a person: the display name, else the handle, else the DID. */
export function nameOf(person: Named): string {
  return displayNameOf(person) || handleOf(person)
}

/** The display name as one line without invisible characters, at most 64 characters long; empty if there is none. */
export function displayNameOf({ displayName = '' }: Pick<Named, 'displayName'>): string {
  const line = displayName.replace(/\s+/gu, ' ').replace(invisible, '').replace(surplusMarks, '$1').trim()
  if (line.length <= maxLength) return line
  const letters = [...new Intl.Segmenter().segment(line)].map(({ segment }) => segment)
  return letters.length > maxLength ? `${letters.slice(0, maxLength).join('')}…` : line
}

/** The handle; the DID if no handle is verified. */
export function handleOf({ did, handle }: Pick<Named, 'did' | 'handle'>): string {
  return handle === 'handle.invalid' ? did : handle
}
