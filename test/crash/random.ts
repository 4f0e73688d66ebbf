/** Random numbers that a seed repeats (mulberry32). */
export type Random = (/** Exclusive; the numbers begin at 0. */ end: number) => number

export function seededRandom(seed: number): Random {
  let state = seed
  return (end) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end)
  }
}
