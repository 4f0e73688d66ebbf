/** Events of deleted accounts, between the deletion and the removal of their rows. */
import { setImmediate } from 'node:timers/promises'
import { beforeEach, expect, test } from 'vitest'
import { pruneEvents, watchEvents } from '../../../../server/repository/events/event-retention.ts'
import { createEventStream } from '../../../../server/repository/events/stream.ts'
import * as removals from '../../../../server/repository/tables/event-removals.ts'
import * as events from '../../../../server/repository/tables/events.ts'
import { schema } from '../../../../server/schema/schema.ts'
import { Database } from '../../../../server/store/database.ts'
import { plausibleClock } from '../../../support/server/clock.ts'
import { FaultyDisk } from '../../../support/store/faulty-disk.ts'

const [a, b] = ['did:web:a.test', 'did:web:b.test'] as const
const at = new Date(0)
let store: Database

beforeEach(async () => {
  const { files } = new FaultyDisk()
  await files.makeDir('/data')
  store = await Database.open({ directory: '/data', schema, now: () => at, files })
  return () => store.close()
})

/** Adds events of an account. Each frame is its number. */
async function emit(did: string, count: number, kind: events.EventKind = 'commit'): Promise<void> {
  await store.transact((tx) => {
    for (let n = 0; n < count; n++) events.append(tx, { kind, did, at }, (seq) => Buffer.from(`${seq}`))
  })
}

/** Reads the stream from a number up to another. */
async function read(from: number, last: number): Promise<number[]> {
  const stopping = new AbortController()
  const stream = createEventStream({
    store,
    onFault: (error) => {
      throw error
    },
  })
  const seqs: number[] = []
  const connection = { network: '', end: () => {}, signal: stopping.signal }
  for await (const frame of stream.read(from, connection)) {
    if (frame instanceof Uint8Array) seqs.push(Number(Buffer.from(frame).toString()))
    if (seqs.at(-1) === last) stopping.abort()
  }
  return seqs
}

const depsOf = (signal: AbortSignal) => ({
  config: { eventRetention: 1000, eventLimit: 1_000_000 },
  ...{ store, now: () => at, clock: plausibleClock, signal },
})
const prune = (signal = new AbortController().signal) => pruneEvents(depsOf(signal))
const rows = (did: string) => store.all('SELECT seq FROM events WHERE did = ?', [did])

test('a replay leaves them out, also if they fill several pages', async () => {
  await emit(a, 2)
  await emit(b, 350)
  await emit(a, 1)
  await store.transact((tx) => removals.add(tx, b))
  expect(await read(0, 353)).toEqual([1, 2, 353])
  expect(await read(100, 353)).toEqual([353])
})

test('a consumer that is up to date gets the next event after a deletion', async () => {
  await emit(b, 3)
  const reading = read(1, 504)
  await setImmediate()
  await store.transact((tx) => {
    for (let n = 0; n < 500; n++)
      events.append(tx, { kind: 'commit', did: b, at }, (seq) => Buffer.from(`${seq}`))
    removals.add(tx, b)
  })
  await emit(b, 1, 'account')
  expect((await reading).at(-1)).toBe(504)
})

test('pruning deletes their rows, and keeps events after the deletion by the same DID', async () => {
  for (const did of [a, b, a, b]) await emit(did, 250)
  await store.transact((tx) => removals.add(tx, b))
  await emit(b, 2)
  const { bytes } = events.state(store)
  expect(await prune()).toBe(true)
  expect(rows(b)).toEqual([{ seq: 1001 }, { seq: 1002 }])
  expect(rows(a)).toHaveLength(500)
  expect(events.state(store).bytes).toBeLessThan(bytes)
  expect(store.get('SELECT sum(length(frame)) AS bytes FROM events')).toEqual({
    bytes: events.state(store).bytes,
  })
  expect(events.state(store).outdatedSeq).toBe(0)
  expect(removals.all(store).size).toBe(0)
  expect(await prune()).toBe(false)
})

test('pruning that ends because the server closes goes on at the next start', async () => {
  await emit(b, 10)
  await store.transact((tx) => removals.add(tx, b))
  await prune(AbortSignal.abort())
  expect(rows(b)).toHaveLength(10)
  expect(removals.all(store).size).toBe(1)
  await prune()
  expect(rows(b)).toEqual([])
})

test('events of a deleted account do not delay the close of the server', async () => {
  await emit(b, 10)
  const { promise: pruned, resolve } = Promise.withResolvers<unknown>()
  const background = {
    run: (_: string, work: () => Promise<unknown>) => resolve(work()),
    idle: async () => {},
  }
  const stop = watchEvents({ ...depsOf(AbortSignal.abort()), background })
  await store.transact((tx) => removals.add(tx, b))
  await pruned
  expect(removals.all(store).size).toBe(1)
  stop()
})
