/** The way of events from the stream to the store, with slow transactions. */
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Frame } from '../../../../server/federation/upstreams/frames.ts'
import { createPipeline } from '../../../../server/federation/upstreams/pipeline.ts'
import type { Database } from '../../../../server/platform/store/database.ts'

const unused = {
  id: 1,
  store: { transact: async () => {} } as unknown as Database,
  queue: { has: () => false, add: async () => {}, retry() {}, resumeDue() {}, close: async () => {} },
  now: () => new Date(),
  onExamined() {},
  onUnexpected() {},
  onFault(error: unknown) {
    throw error
  },
}

/** A pipeline whose transactions wait for `release`. */
function slowPipeline() {
  const gate = Promise.withResolvers<void>()
  const started = Promise.withResolvers<void>()
  const drained = Promise.withResolvers<void>()
  const pipeline = createPipeline({
    ...unused,
    examine: async () => ({ kind: 'changes', changes: [] }),
    async storeFinding() {
      started.resolve()
      await gate.promise
    },
    onDrain: () => drained.resolve(),
  })
  return { pipeline, release: gate.resolve, started: started.promise, drained: drained.promise }
}

let seq = 0
const frame = (): Frame => ({
  kind: 'commit',
  seq: ++seq,
  did: `did:web:${seq % 100}.test`,
  time: '',
  blocks: Buffer.alloc(0),
  bytes: Buffer.alloc(100),
  payloadAt: 0,
})

test('a stream that becomes full during a transaction goes on', async () => {
  const { pipeline, release, started, drained } = slowPipeline()
  for (let n = 0; n < 3960; n++) pipeline.add(frame())
  await started
  expect(pipeline.isFull).toBe(false)
  for (let n = 0; n < 45; n++) pipeline.add(frame())
  expect(pipeline.isFull).toBe(true)
  release()
  await drained
  expect(pipeline.isFull).toBe(false)
})

test('few events are verified before their predecessors have used up budgets', async () => {
  const gate = Promise.withResolvers<void>()
  let examined = 0
  const pipeline = createPipeline({
    ...unused,
    async examine() {
      examined++
      return { kind: 'changes', changes: [] }
    },
    storeFinding: () => gate.promise,
    onDrain() {},
  })
  for (let n = 0; n < 1000; n++) pipeline.add(frame())
  for (let turn = 0; turn < 20; turn++) await setImmediate()
  expect(examined).toBeLessThan(150)
  gate.resolve()
  while (pipeline.has(`did:web:${seq % 100}.test`)) await setImmediate()
  expect(examined).toBe(1000)
})

test('what waits is pending until it is stored', async () => {
  const { pipeline, release, started, drained } = slowPipeline()
  const one = frame()
  pipeline.add(one)
  await started
  expect(pipeline.has(one.did)).toBe(true)
  release()
  await drained
  expect(pipeline.has(one.did)).toBe(false)
})

test('an event that becomes ready while the transactions end is stored', async () => {
  for (let ticks = 0; ticks < 20; ticks++) {
    const second = Promise.withResolvers<void>()
    const stored: number[] = []
    let examined = 0
    const pipeline = createPipeline({
      ...unused,
      async examine() {
        if (examined++ > 0) await second.promise
        return { kind: 'changes', changes: [] }
      },
      async storeFinding() {
        stored.push(0)
        for (let tick = 0; tick < ticks; tick++) await undefined
        second.resolve()
      },
      onDrain() {},
    })
    pipeline.add(frame())
    pipeline.add(frame())
    for (let turn = 0; turn < 5; turn++) await setImmediate()
    expect(stored, `after ${ticks} ticks`).toHaveLength(2)
  }
})
