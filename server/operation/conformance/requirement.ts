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

type Make = (id: string, title: string, source: string, check: Requirement['check']) => Requirement

const make =
  (level: Level): Make =>
  (id, title, source, check) => ({ id, level, title, source, check })

export const must = make('must')
export const should = make('should')
export const info = make('info')

export function areaOf({ id }: Pick<Requirement, 'id'>): string {
  return id.slice(0, id.indexOf('.'))
}
