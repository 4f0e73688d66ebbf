/** Chance that is the same each time: the generator "mulberry32" from a fixed seed. */
export interface Chance {
  /** True in this share of cases. */
  happens(share: number): boolean
  /** From `min` to `max`. */
  between(min: number, max: number): number
}

export function createChance(seed: number): Chance {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    happens: (share) => next() < share,
    between: (min, max) => min + next() * (max - min),
  }
}
