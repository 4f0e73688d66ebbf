/** References between the parts of a world. */
import type { Path } from './errors.ts'
import type { Named, Need } from './planner.ts'

export function need(kind: Named, name: string, ...path: Path): Need {
  return { kind, name, path }
}

/** Needs for a reference that may be absent. */
export function needs(kind: Named, name: string | undefined, ...path: Path): Need[] {
  return name === undefined ? [] : [need(kind, name, ...path)]
}

export function list<T>(values: T | readonly T[]): readonly T[] {
  return Array.isArray(values) ? values : [values as T]
}
