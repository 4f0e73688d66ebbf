/** Reproducible chance. */
export interface Random {
  /** A number from 0 up to 1. */
  next(): number
  /** A whole number below `limit`. */
  below(limit: number): number
  chance(share: number): boolean
  pick<Item>(items: readonly Item[]): Item
}

/** The generator mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    next,
    below,
    chance: (share) => next() < share,
    pick<Item>(items: readonly Item[]): Item {
      if (items.length === 0) throw new Error('There is nothing to choose from.')
      return items[below(items.length)] as Item
    },
  }
}
