import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createRecentEvents, type RecentEvents } from '../../../../server/repository/events/recent-events.ts'
import { append, state } from '../../../../server/repository/tables/events.ts'
import { schema } from '../../../../server/schema/schema.ts'
import { Database } from '../../../../server/store/database.ts'
import { StoreUnavailable } from '../../../../server/store/files/store-errors.ts'

let directory: string
let store: Database
let recent: RecentEvents
/** Delays the result of a read until it resolves. */
let onDisk: Promise<void> | undefined
const signal = new AbortController().signal

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pds-test-'))
  store = await Database.open({ directory, schema, now: () => new Date() })
  onDisk = undefined
  recent = createRecentEvents({
    store: {
      get: (sql, params) => store.get(sql, params),
      all: (sql, params) => store.all(sql, params),
      watch: (tables, watcher) => store.watch(tables, watcher),
      epoch: 0,
      settled: () => onDisk ?? store.settled(),
    },
    onFault: (error) => {
      throw error
    },
  })
})

afterEach(async () => {
  await store.close()
  await rm(directory, { recursive: true })
})

async function emit(kind: 'identity' | 'account' = 'identity', bytes = 1): Promise<number> {
  await store.transact((tx) =>
    append(tx, { kind, did: 'did:web:a.test', at: new Date() }, () => new Uint8Array(bytes)),
  )
  return state(store).lastSeq
}

/** Waits until an event is shared. Returns the numbers after `from`. */
async function shared(from: number, last: number): Promise<number[]> {
  while (recent.after(from).at(-1)?.seq !== last) await recent.change()
  return recent.after(from).map(({ seq }) => seq)
}

test('a consumer that joins while events of the last one are being read misses none', async () => {
  const leave = recent.join(0, signal)
  await emit()
  await shared(0, 1)
  // The next consumer has read the number 1 as the last one, and waits to join.
  await emit()
  await shared(0, 2)
  const written = Promise.withResolvers<void>()
  onDisk = written.promise
  await emit()
  await new Promise(setImmediate)
  leave()
  recent.join(1, signal)
  written.resolve()
  onDisk = undefined
  expect(await shared(1, 3)).toEqual([2, 3])
})

test('events that are not on disk are not shared', async () => {
  recent.join(0, signal)
  const written = Promise.withResolvers<void>()
  onDisk = written.promise
  await emit()
  await new Promise(setImmediate)
  expect(recent.after(0)).toEqual([])
  written.resolve()
  expect(await shared(0, 1)).toEqual([1])
})

test('events that were read together with one that could not be written are shared', async () => {
  recent.join(0, signal)
  const failing = Promise.withResolvers<void>()
  onDisk = failing.promise
  await emit()
  await new Promise(setImmediate)
  // The change is announced while the first event is being read.
  await emit()
  await new Promise(setImmediate)
  onDisk = undefined
  failing.reject(new StoreUnavailable())
  expect(await shared(0, 2)).toEqual([1, 2])
})

test('after an event of an account, earlier ones are only in the store', async () => {
  recent.join(0, signal)
  await emit()
  await shared(0, 1)
  expect(recent.start).toBe(0)
  await emit('account')
  expect(await shared(1, 2)).toEqual([2])
  expect(recent.start).toBe(1)
})

test('the newest 4 MB are shared', async () => {
  recent.join(0, signal)
  for (let n = 0; n < 5; n++) await emit('identity', 1_500_000)
  await shared(4, 5)
  expect(recent.start).toBe(3)
  expect(recent.after(3).map(({ seq }) => seq)).toEqual([4, 5])
})
