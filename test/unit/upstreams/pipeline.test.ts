/** The position of a stream: how far its events are stored. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StoreFull } from '../../../server/store/errors.ts'
import * as upstreams from '../../../server/store/tables/upstreams.ts'
import type { Frame } from '../../../server/upstreams/frames.ts'
import { createPipeline } from '../../../server/upstreams/pipeline.ts'
import { TestServer } from '../../support/server.ts'

const url = 'http://upstream.test'

let server: TestServer
beforeAll(async () => {
  server = await TestServer.start()
})
afterAll(() => server.close())

/** Reads events 4, which does not concern this server, then 5 and 6. @param fails numbers of events that cannot be stored */
async function read(fails: readonly number[]): Promise<number | null | undefined> {
  const { store } = server.running.services
  await store.transact((tx) => {
    upstreams.remove(tx, url)
    upstreams.add(tx, { url, isConfigured: false }, 0)
  })
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const pipeline = createPipeline({
    id: upstreams.findByUrl(store, url)?.id ?? 0,
    store,
    now: server.clock.now,
    examine: async ({ seq }) => ({ kind: 'status', did: `did:web:${seq}.test`, status: undefined }),
    async storeFinding(finding, last) {
      if (fails.some((seq) => 'did' in finding && finding.did === `did:web:${seq}.test`))
        throw new StoreFull()
      await store.transact(last)
      if ('did' in finding && finding.did === 'did:web:6.test') end()
    },
    queue: { has: () => false, add: async () => {}, retry() {}, close: async () => {} },
    onExamined() {},
    onDrain() {},
    onUnexpected() {},
    onFault: () => end(),
  })
  pipeline.pass(4)
  for (const seq of [5, 6]) pipeline.add(frame(seq))
  await ended
  await pipeline.close()
  await pipeline.savePosition()
  return upstreams.findByUrl(store, url)?.cursor
}

const frame = (seq: number): Frame => ({
  ...{ kind: 'account', seq, did: `did:web:${seq}.test`, time: '' },
  ...{ blocks: Buffer.alloc(0), bytes: Buffer.alloc(1), payloadAt: 0 },
})

test('is behind the last event when all are stored', async () => {
  expect(await read([])).toBe(6)
})

test('stays before an event that could not be stored, also when it is saved later', async () => {
  expect(await read([5, 6])).toBe(4)
  expect(await read([6])).toBe(5)
})
