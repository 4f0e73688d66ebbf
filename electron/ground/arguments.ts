/** Validates the arguments of calls from the page: one check per value, combined by `args`. */

import { isObject } from '../../server/util/json.ts'

type Check<T> = (value: unknown) => value is T

/** Accepts exactly these arguments. Trailing ones may be left out if their check accepts undefined. */
export function args<T extends unknown[]>(
  ...checks: { [Index in keyof T]: Check<T[Index]> }
): (given: readonly unknown[]) => given is T {
  return (given): given is T =>
    given.length <= checks.length && checks.every((check: Check<unknown>, index) => check(given[index]))
}

/** Accepts a string of at most `maxLength` UTF-16 units. */
export function text(maxLength: number): Check<string> {
  return (value): value is string => typeof value === 'string' && value.length <= maxLength
}

export function optional<T>(check: Check<T>): Check<T | undefined> {
  return (value): value is T | undefined => value === undefined || check(value)
}

export function oneOf<const Word extends string>(...words: readonly Word[]): Check<Word> {
  return (value): value is Word => words.includes(value as Word)
}

/** Accepts an object with exactly these members. One whose check accepts undefined may be absent. */
export function members<T extends object>(
  checks: { readonly [Name in keyof T]-?: Check<T[Name]> },
): Check<T> {
  const all: [string, Check<unknown>][] = Object.entries(checks)
  return (value): value is T =>
    isObject(value) &&
    Object.keys(value).every((name) => Object.hasOwn(checks, name)) &&
    all.every(([name, check]) => check(value[name]))
}
