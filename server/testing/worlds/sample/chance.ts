/** Pseudo-random numbers from a seed: the generator mulberry32. */
export interface Chance {
  /** Returns true with this probability. */
  happens(probability: number): boolean
  /** Returns a number from `min` to `max`. */
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
    happens: (probability) => next() < probability,
    between: (min, max) => min + next() * (max - min),
  }
}
