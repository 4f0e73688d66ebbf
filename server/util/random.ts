/**
 * The random values of the server. Values that leave a trace (keys, secrets, codes, identifiers) come from `randomBytes`, which a seed
 * can replace, see `sources.ts`. Names of temporary files and of runs, and the jitter of delays, leave none: they have sources of their
 * own, so that the order of input and output does not change the others.
 */
import * as crypto from 'node:crypto'

export interface RandomSource {
  /** Returns bytes for values that leave a trace. */
  bytes(size: number): Buffer
  /** Returns bytes for names of temporary files. */
  temporaryBytes(size: number): Buffer
  /** Returns a number from 0 up to 1 for delays and samples. */
  fraction(): number
}

/** The CSPRNG of the system. */
export const systemRandom: RandomSource = {
  bytes: (size) => crypto.randomBytes(size),
  temporaryBytes: (size) => crypto.randomBytes(size),
  fraction: () => Math.random(),
}

let source = systemRandom

/** For `sources.ts` alone. */
export function replaceRandom(next: RandomSource): void {
  source = next
}

/** RFC 4648 base32, lower case: the low five bits of a byte pick a letter without bias. */
const base32 = 'abcdefghijklmnopqrstuvwxyz234567'

/** Unguessable bytes. */
export function randomBytes(size: number): Buffer {
  return source.bytes(size)
}

/** An unguessable whole number from 0, below `limit`, which is at most 2^32. */
export function randomInt(limit: number): number {
  // Numbers above the last multiple of the limit would make some results more likely.
  const end = 2 ** 32 - (2 ** 32 % limit)
  for (;;) {
    const number = source.bytes(4).readUInt32BE()
    if (number < end) return number % limit
  }
}

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

/** Returns a name for a temporary file, a lock or a run, in hexadecimal digits. @param bytes random ones; a digit is half of one */
export function temporaryName(bytes = 12): string {
  return source.temporaryBytes(bytes).toString('hex')
}

/** Returns a number from 0 up to 1: for the jitter of delays, and for samples. Guessable. */
export function randomFraction(): number {
  return source.fraction()
}
