/** Background work in pieces, one per turn of the event loop. */
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createPace, inTurn, nextTurn, pieceMs } from '../../../server/util/turns.ts'

/** Returns a function that resolves with the number of the turn in which it resolved, of those while `work` runs. */
async function numbered<T>(work: (turn: () => number) => Promise<T>): Promise<T> {
  let turns = 0
  let hasEnded = false
  const counting = (async () => {
    for (; !hasEnded; turns++) await setImmediate()
  })()
  const result = await work(() => turns)
  hasEnded = true
  await counting
  return result
}

function work(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end; ) {
    // Keeps the thread busy.
  }
}

test('pieces of work that are requested at once run in different turns, in the order of the requests', async () => {
  const ran = await numbered((turn) =>
    Promise.all([
      ...Array.from({ length: 5 }, () => nextTurn().then(turn)),
      ...Array.from({ length: 5 }, () => inTurn(turn)),
    ]),
  )
  expect(new Set(ran).size).toBe(10)
  expect(ran).toEqual(ran.toSorted((a, b) => a - b))
})

test('a piece that fails stops no others', async () => {
  const failed = inTurn(() => {
    throw new Error('failed')
  })
  await expect(Promise.all([failed, inTurn(() => 1)])).rejects.toThrow('failed')
  expect(await inTurn(() => 2)).toBe(2)
})

test('long work is divided, short work is not', async () => {
  const turnsOf = (stepMs: number) =>
    numbered(async (turn) => {
      const pace = createPace()
      const turns = new Set<number>()
      for (let step = 0; step < 5; step++) {
        turns.add(turn())
        work(stepMs)
        await pace()
      }
      return turns.size
    })
  expect(await turnsOf(pieceMs)).toBe(5)
  expect(await turnsOf(0)).toBeLessThan(5)
})
