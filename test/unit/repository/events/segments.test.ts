/** Event files of earlier versions: they are taken in at the start, whatever happens to the disk. */
import { hash } from 'node:crypto'
import { join } from 'node:path'
import { encode } from '@atproto/lex-cbor'
import { beforeAll, expect, test } from 'vitest'
import { Database } from '../../../../server/platform/store/database.ts'
import { schema } from '../../../../server/platform/store/schema.ts'
import * as events from '../../../../server/platform/store/tables/events.ts'
import { createLogger } from '../../../../server/platform/util/log.ts'
import { takeInSegments } from '../../../../server/repository/events/segments.ts'
import { FaultyDisk } from '../../platform/store/faulty-disk.ts'

const directory = '/data'
const folder = join(directory, 'events')
const names: string[] = []
/** A disk with the events 1 to 6 in two files, and 7 to 9 in the table. */
let prepared: FaultyDisk

const open = (disk: FaultyDisk) =>
  Database.open({ directory, schema, now: () => new Date(0), files: disk.files })
const frame = (seq: number) => new Uint8Array(Buffer.from(`${seq}`.padEnd(100)))

beforeAll(async () => {
  prepared = new FaultyDisk()
  await prepared.files.makeDir(folder)
  const store = await open(prepared)
  await store.transact((tx) => events.skip(tx, 6))
  for (const first of [1, 4]) {
    const seqs = [first, first + 1, first + 2]
    const content = encode(
      seqs.map((seq) => ({ did: 'did:web:a.test', seq, kind: 'commit', frame: frame(seq) })),
    )
    const name = hash('sha256', content)
    names.push(name)
    prepared.put(join(folder, name), Buffer.from(content))
    await store.transact((tx) => {
      tx.run(
        'INSERT INTO event_segments (last_seq, first_seq, created_at, bytes, name) VALUES (?, ?, ?, ?, ?)',
        [...[first + 2, first, first * 1000, 300, name]],
      )
      tx.run('UPDATE event_state SET bytes = bytes + 300')
    })
  }
  for (let n = 7; n < 10; n++) {
    await store.transact((tx) =>
      events.append(tx, { kind: 'commit', did: 'did:web:a.test', at: new Date(9000) }, frame),
    )
  }
  await store.close()
})

/** Starts a server on the disk, as far as its events are concerned. */
async function start(disk: FaultyDisk) {
  const logged: string[] = []
  const log = createLogger('warn', { write: (line: string) => void logged.push(line) })
  const store = await open(disk)
  await takeInSegments({ store, log, files: disk.files, dataDir: directory })
  return { store, logged }
}

const seqs = (store: Database) => events.page(store, 0).events.map(({ seq }) => seq)
const all = [1, 2, 3, 4, 5, 6, 7, 8, 9]

test('events of the files come before those of the table, and the files are removed', async () => {
  const disk = prepared.clone()
  const { store, logged } = await start(disk)
  expect(events.page(store, 0).events).toEqual(all.map((seq) => ({ seq, kind: 'commit', frame: frame(seq) })))
  expect(events.state(store)).toEqual({ lastSeq: 9, outdatedSeq: 0, bytes: 900 })
  // Each is kept as long as the newest one of its file.
  await store.transact((tx) => events.removeOutdated(tx, { since: 4000, bytes: 1000 }, 100))
  expect(seqs(store)).toEqual([4, 5, 6, 7, 8, 9])
  expect(disk.names(folder)).toEqual([])
  expect(logged).toEqual([])
  await store.close()
})

test.each(['is missing', 'is damaged'])('events of a file that %s count as outdated', async (state) => {
  const disk = prepared.clone()
  const path = join(folder, names[0] ?? '')
  if (state === 'is missing') await disk.files.remove(path)
  else disk.content(path).writeUInt8(0, 200)
  const { store, logged } = await start(disk)
  expect(seqs(store)).toEqual([4, 5, 6, 7, 8, 9])
  expect(events.state(store)).toEqual({ lastSeq: 9, outdatedSeq: 3, bytes: 600 })
  expect(logged).toHaveLength(1)
  expect(logged[0]).toContain(names[0])
  await store.close()
})

test.each([
  'kill',
  'power cut',
  'power cut, last kept',
  'power cut, sectors kept',
  'fails',
  'torn write',
  'disk full',
] as const)('no event is lost or taken in twice after: %s', async (fault) => {
  const complete = prepared.clone()
  await (await start(complete)).store.close()
  for (let operation = 1; operation <= complete.operations; operation++) {
    const disk = prepared.clone()
    disk.failAt(operation, fault)
    const { store } = (await start(disk).catch(() => undefined)) ?? {}
    await store?.close().catch(() => {})
    disk.restart()
    const restarted = await start(disk)
    expect(seqs(restarted.store)).toEqual(all)
    expect(events.state(restarted.store)).toEqual({ lastSeq: 9, outdatedSeq: 0, bytes: 900 })
    expect(disk.names(folder)).toEqual([])
    expect(restarted.logged).toEqual([])
    await restarted.store.close()
  }
})
