/** Random text from the system's CSPRNG. */
import { randomBytes } from 'node:crypto'

/** RFC 4648 base32, lower case: the low five bits of a byte pick a letter without bias. */
const base32 = 'abcdefghijklmnopqrstuvwxyz234567'

/** Groups of base32 letters with dashes between: `randomGroups(4, 4)` is `xxxx-xxxx-xxxx-xxxx`. */
export function randomGroups(groups: number, lettersEach: number): string {
  return Array.from({ length: groups }, () => randomLetters(lettersEach)).join('-')
}

/**
 * Returns text that a person typed in the form of `randomGroups`: in lower case, without blanks, with its dashes. Text of another
 * length is only trimmed and lower-cased.
 */
export function regrouped(typed: string, groups: number, lettersEach: number): string {
  const letters = typed.toLowerCase().replace(/[\s-]+/g, '')
  if (letters.length !== groups * lettersEach) return typed.trim().toLowerCase()
  return Array.from({ length: groups }, (_, i) => letters.slice(i * lettersEach, (i + 1) * lettersEach)).join(
    '-',
  )
}

/** An unguessable identifier of 130 bits. */
export function randomId(): string {
  return randomLetters(26)
}

function randomLetters(count: number): string {
  return Array.from(randomBytes(count), (byte) => base32[byte & 31]).join('')
}
