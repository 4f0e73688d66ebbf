/** Figures of two servers, and how they are measured. */
import { median } from '../statistics.ts'
import type { Side } from './side.ts'

export interface Both<Value> {
  readonly small: Value
  readonly large: Value
}

export type Sides = Both<Side>

/** One figure of both servers. */
export interface Figure extends Both<number> {
  readonly title: string
  /** What the large one may need. */
  readonly limit: Limit
}

export type Limit =
  /** More than the small one. */
  | { readonly more: number }
  /** Times the small one, or times `of`. */
  | { readonly times: number; readonly of?: number }
  | { readonly most: number }

export function limitText(limit: Limit): string {
  if ('more' in limit) return `+ ${limit.more}`
  return 'times' in limit ? `${limit.times} ×` : `${limit.most}`
}

export function isWithin({ small, large, limit }: Figure): boolean {
  if ('more' in limit) return large <= small + limit.more
  return large <= ('times' in limit ? (limit.of ?? small) * limit.times : limit.most)
}

/** Measures the small server, then the large one. */
export async function each<Value>(
  sides: Sides,
  measure: (side: Side) => Promise<Value>,
): Promise<Both<Value>> {
  return { small: await measure(sides.small), large: await measure(sides.large) }
}

/** Measures both in turn, so that other load on the machine affects both. @returns the medians */
export async function alternating(
  sides: Sides,
  rounds: number,
  measure: (side: Side) => Promise<number>,
): Promise<Both<number>> {
  const taken: Both<number[]> = { small: [], large: [] }
  for (let round = 0; round < rounds; round++) {
    taken.small.push(await measure(sides.small))
    taken.large.push(await measure(sides.large))
  }
  return { small: median(taken.small), large: median(taken.large) }
}
