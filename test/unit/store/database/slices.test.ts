import { expect, test } from 'vitest'
import type { Writer } from '../../../../server/store/database.ts'
import { inSlices } from '../../../../server/store/slices.ts'

test('long work lets the event loop continue after each transaction, also when the disk blocks', async () => {
  let transactions = 0
  const store = {
    keepPace: async () => {},
    transact: async <T>(work: (tx: Writer) => T): Promise<T> => {
      transactions++
      return work({} as Writer)
    },
  }
  let turns = 0
  const turn = () => {
    turns++
    next = setImmediate(turn)
  }
  let next = setImmediate(turn)
  const seen: (readonly [transaction: number, turns: number])[] = []
  await inSlices(store, () => {
    // Longer than a slice.
    const end = performance.now() + 6
    while (performance.now() < end);
    seen.push([transactions, turns])
    return seen.length < 4
  })
  clearImmediate(next)
  expect(seen.map(([transaction]) => transaction)).toEqual([1, 2, 3, 4])
  expect(new Set(seen.map(([, at]) => at)).size).toBe(4)
})

test('long work keeps pace with checkpoints before each transaction', async () => {
  const calls: string[] = []
  const store = {
    keepPace: async () => void calls.push('keepPace'),
    transact: async <T>(work: (tx: Writer) => T): Promise<T> => {
      calls.push('transact')
      return work({} as Writer)
    },
  }
  await inSlices(store, () => {
    const end = performance.now() + 6
    while (performance.now() < end);
    return calls.length < 4
  })
  expect(calls).toEqual(['keepPace', 'transact', 'keepPace', 'transact'])
})
