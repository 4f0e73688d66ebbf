/** Checks of what a page sends: one a value, together one a call. */

type Check<T> = (value: unknown) => value is T

/** Exactly these arguments; those at the end may be left out where their check takes undefined. */
export function args<T extends unknown[]>(
  ...checks: { [Place in keyof T]: Check<T[Place]> }
): (given: readonly unknown[]) => given is T {
  return (given): given is T =>
    given.length <= checks.length && checks.every((check: Check<unknown>, place) => check(given[place]))
}

/** A text of at most so many characters. */
export function text(most: number): Check<string> {
  return (value): value is string => typeof value === 'string' && value.length <= most
}

export function optional<T>(check: Check<T>): Check<T | undefined> {
  return (value): value is T | undefined => value === undefined || check(value)
}

export function oneOf<const Word extends string>(...words: readonly Word[]): Check<Word> {
  return (value): value is Word => words.includes(value as Word)
}
