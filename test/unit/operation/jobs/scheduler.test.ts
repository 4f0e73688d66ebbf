import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startJobs } from '../../../../server/operation/jobs/scheduler.ts'
import { createBackground } from '../../../../server/util/background.ts'
import { createLogger } from '../../../../server/util/log.ts'

const background = createBackground(createLogger('silent'))
let runs: string[]

beforeEach(() => {
  runs = []
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const job = (name: string, firstMs: number | undefined, everyMs: number) => ({
  name,
  firstMs,
  everyMs,
  run: async () => runs.push(name),
})

async function pass(ms: number): Promise<string[]> {
  vi.advanceTimersByTime(ms)
  await background.idle()
  return runs.splice(0)
}

test('jobs: each runs first and then at its interval, until they are stopped', async () => {
  const stop = startJobs([job('at once', undefined, 100), job('later', 50, 200)], background)
  expect(await pass(0)).toEqual(['at once'])
  expect(await pass(49)).toEqual([])
  expect(await pass(1)).toEqual(['later'])
  expect(await pass(50)).toEqual(['at once'])
  expect((await pass(100)).toSorted()).toEqual(['at once', 'later'])
  stop()
  expect(await pass(1000)).toEqual([])
})

test('jobs: one that is stopped before its first run never runs', async () => {
  startJobs([job('later', 50, 200)], background)()
  expect(await pass(1000)).toEqual([])
})

test('jobs: a run is skipped while the previous run of the same job continues, but other jobs run', async () => {
  const end = Promise.withResolvers<void>()
  const slow = {
    ...job('slow', undefined, 100),
    run: async () => {
      runs.push('slow')
      await end.promise
    },
  }
  const stop = startJobs([slow, job('fast', 100, 100)], background)
  for (let n = 0; n < 3; n++) {
    vi.advanceTimersByTime(100)
    // Work in the background starts in the next turn of the event loop.
    for (let turn = 0; turn < 3; turn++) await setImmediate()
  }
  expect(runs).toEqual(['slow', 'fast', 'fast', 'fast'])
  end.resolve()
  await background.idle()
  runs = []
  expect((await pass(100)).toSorted()).toEqual(['fast', 'slow'])
  stop()
})

test('jobs: a run that fails does not stop the next one', async () => {
  const failing = {
    ...job('failing', undefined, 100),
    run: () => {
      runs.push('failing')
      throw new Error('failed')
    },
  }
  const stop = startJobs([failing], background)
  expect(await pass(0)).toEqual(['failing'])
  expect(await pass(100)).toEqual(['failing'])
  stop()
})
