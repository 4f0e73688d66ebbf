/** The loop of a copy: changes are collected for some seconds, then copied. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLoop } from '../../../../server/operation/replicas/loop.ts'
import { day, second } from '../../../support/server/clock.ts'

const ending = new AbortController()
beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  ending.abort()
  vi.useRealTimers()
})

test('changes are copied after 15 seconds, also if the clock is set back meanwhile', async () => {
  const store = { lastSeq: 1, seq: 1 }
  const state = { wholeSeq: 0 }
  let steps = 0
  const replicator = {
    state,
    async step() {
      state.wholeSeq = store.lastSeq
      // The first step is followed by a change.
      if (steps++ === 0) store.lastSeq++
    },
  }
  const loop = createLoop({
    url: 'https://place.test',
    store: store as never,
    replicator: replicator as never,
    proof: () => undefined,
    now: () => new Date(),
    afterStep: async () => {},
    signal: ending.signal,
  })
  void loop.run()
  await vi.advanceTimersByTimeAsync(second)
  vi.setSystemTime(Date.now() - day)
  await vi.advanceTimersByTimeAsync(13 * second)
  expect(steps).toBe(1)
  await vi.advanceTimersByTimeAsync(2 * second)
  expect([steps, state.wholeSeq]).toEqual([2, 2])
})
