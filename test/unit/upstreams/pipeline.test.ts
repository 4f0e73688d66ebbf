/** The way of events from the stream to the store, with slow transactions. */
import { expect, test } from 'vitest'
import type { Database } from '../../../server/store/database.ts'
import type { Frame } from '../../../server/upstreams/frames.ts'
import { createPipeline } from '../../../server/upstreams/pipeline.ts'

/** A pipeline whose transactions wait for `release`. */
function slowPipeline() {
  const gate = Promise.withResolvers<void>()
  const started = Promise.withResolvers<void>()
  const drained = Promise.withResolvers<void>()
  const pipeline = createPipeline({
    id: 1,
    store: { transact: async () => {} } as unknown as Database,
    examine: async () => ({ kind: 'changes', changes: [] }),
    async storeFinding() {
      started.resolve()
      await gate.promise
    },
    queue: { has: () => false, add: async () => {}, retry() {}, close: async () => {} },
    now: () => new Date(),
    onExamined() {},
    onUnexpected() {},
    onDrain: () => drained.resolve(),
    onFault: (error) => drained.reject(error),
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
