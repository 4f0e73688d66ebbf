/** What a server must or should do, where that comes from, and how it is measured. */
import type { Target } from './target.ts'

/** `info` is measured and reported; a server may do either. */
export type Level = 'must' | 'should' | 'info'

export interface Requirement {
  /** Never changes its meaning. Its first part is the area. */
  readonly id: string
  readonly level: Level
  /** A fact about a server that meets it. */
  readonly title: string
  /** The document that has the rule, in the forms of `sources.ts`. */
  readonly source: string
  /** @returns what was measured, if it is of interest @throws Failed, Skipped */
  check(target: Target): Promise<string | void>
}

/** The server does not meet the requirement. The message says what it did instead. */
export class Failed extends Error {
  override readonly name = 'Failed'
}

/** The requirement could not be tried. The message says why. */
export class Skipped extends Error {
  override readonly name = 'Skipped'
}

type Make = (id: string, title: string, source: string, check: Requirement['check']) => Requirement

const make =
  (level: Level): Make =>
  (id, title, source, check) => ({ id, level, title, source, check })

export const must = make('must')
export const should = make('should')
export const info = make('info')

/** @throws Failed */
export function expect(condition: unknown, reason: string): asserts condition {
  if (!condition) throw new Failed(reason)
}

/** Returns a value as text for a reason, shortened. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
  return text.length > 120 ? `${text.slice(0, 117)}…` : text
}

/** @throws Failed if the values differ, as text */
export function expectSame(actual: unknown, expected: unknown, what: string): void {
  expect(
    JSON.stringify(actual) === JSON.stringify(expected),
    `${what} is ${shown(actual)}, expected ${shown(expected)}`,
  )
}

export function areaOf({ id }: Pick<Requirement, 'id'>): string {
  return id.slice(0, id.indexOf('.'))
}
