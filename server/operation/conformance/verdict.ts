/** How a check ends: it returns, it fails, or it could not be tried. */

/** The server does not meet the requirement. The message says what it did instead. */
export class Failed extends Error {
  override readonly name = 'Failed'
}

/** A request got no answer, or was ended. */
export class NoAnswer extends Failed {}

/** The requirement could not be tried. The message says why. */
export class Skipped extends Error {
  override readonly name = 'Skipped'
}

/** Waits for what a check relies on. Its failure is that of another requirement. @throws Skipped */
export async function relyOn<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof Failed) || error instanceof NoAnswer) throw error
    throw new Skipped(`it relies on another requirement: ${error.message}`)
  }
}

/** @throws Failed */
export function expect(condition: unknown, reason: string): asserts condition {
  if (!condition) throw new Failed(reason)
}

/** Returns a value as text for a reason, shortened. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : textOf(value)
  return text.length > 120 ? `${text.slice(0, 117)}…` : text
}

function textOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return 'a value that is nested too deep'
  }
}

/** Characters of a reason. */
const maxPlain = 500

/**
 * Returns text of a server as one line of visible characters: terminals obey others, and some hide or reverse the text that follows.
 * It is shortened.
 */
export function plain(text: string): string {
  const line = text
    .slice(0, maxPlain)
    .toWellFormed()
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cn}\p{Co}]/gu, '\ufffd')
  return text.length > maxPlain ? `${line}…` : line
}

/** @throws Failed if the values differ, as text */
export function expectSame(actual: unknown, expected: unknown, what: string): void {
  expect(
    JSON.stringify(actual) === JSON.stringify(expected),
    `${what} is ${shown(actual)}, expected ${shown(expected)}`,
  )
}
