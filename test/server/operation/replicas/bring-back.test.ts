/** A restore from a place that has damaged, cut and missing objects: what is usable is used, and what is lost is said before. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import {
  type BringBackOptions,
  bringBack,
  findChain,
} from '../../../../server/operation/replicas/bring-back.ts'
import { fetchAhead, removeFetched } from '../../../../server/operation/replicas/fetch-ahead.ts'

import { readHead } from '../../../../server/operation/replicas/lease.ts'
import { makeBackup } from '../../../../server/operation/replicas/local/backups.ts'
import { localTarget } from '../../../../server/operation/replicas/local/target.ts'
import { PlaceProblem } from '../../../../server/operation/replicas/places/place.ts'
import { ReplicaKey } from '../../../../server/operation/replicas/replica-key.ts'
import type { Replicator } from '../../../../server/operation/replicas/replicator.ts'
import { createSealer, type Sealer } from '../../../../server/operation/replicas/sealer.ts'
import { beginTimeline } from '../../../../server/operation/replicas/timeline.ts'
import * as damagedBlobs from '../../../../server/repository/tables/damaged-blobs.ts'
import { schema } from '../../../../server/schema/schema.ts'
import { Database } from '../../../../server/store/database.ts'
import { blobCid, newBlobHash, writeBlob } from '../../../../server/store/files/blob-files.ts'
import { nodeFiles } from '../../../../server/store/files/files.ts'
import { parseFileTime } from '../../../../server/store/files/layout.ts'
import { StoreLocked } from '../../../../server/store/files/store-errors.ts'
import { cidBytes } from '../../../../server/util/cid.ts'
import { MemoryPlace } from '../../../support/replicas/memory-place.ts'
import { insert, replicatorOf, setupStore } from '../../../support/replicas/replicator.ts'

let root: string
let dataDir: string
let store: Database
let sealer: Sealer
let place: MemoryPlace
let replicator: Replicator
let ms = Date.UTC(2030, 0, 1)
const now = () => new Date(ms++)

const own = setupStore(now)
beforeEach(async () => {
  ;({ root, dataDir, store, sealer } = own)
  place = new MemoryPlace()
  replicator = await replicatorOf({ store, dataDir, now, place, sealer })
})

/** Writes a row, and copies it, at a later minute. */
async function copy(text: string): Promise<void> {
  ms += 60_000
  await insert(store, text)
  await replicator.step()
  expect(replicator.state.problem).toBeUndefined()
}

async function restored(options: Partial<BringBackOptions> = {}) {
  const to = await mkdtemp(join(root, 'restored-'))
  const result = await bringBack({ target: { place, sealer }, dataDir: to, now, ...options })
  expect(await readdir(to)).not.toContain('copy.fetched')
  const there = await Database.open({ directory: to, schema, now })
  try {
    const rows = there.all<{ name: string }>(`SELECT name FROM secrets WHERE name LIKE 'row %' ORDER BY name`)
    const { count: blobs = 0 } = there.get<{ count: number }>('SELECT count(*) AS count FROM blobs') ?? {}
    return { ...result, rows: rows.map(({ name }) => name), marked: damagedBlobs.all(there), blobs }
  } finally {
    await there.close()
  }
}

const named = (prefix: string) => [...place.objects.keys()].filter((name) => name.startsWith(prefix)).sort()

function damage(name = ''): void {
  const bytes = Buffer.from(place.objects.get(name) ?? [])
  bytes[bytes.length - 20] = (bytes.at(-20) ?? 0) ^ 1
  place.objects.set(name, bytes)
}

function cut(name = ''): void {
  place.objects.set(name, place.objects.get(name)?.subarray(1) ?? Buffer.alloc(0))
}

test('a byte of the newest base: the one before it leads to the same state, without a question', async () => {
  await copy('row 1')
  replicator.renew()
  await copy('row 2')
  await copy('row 3')
  const parts = named('bases/').filter((name) => !name.endsWith('/end'))
  expect(parts).toHaveLength(2)
  damage(parts.at(-1))
  expect((await restored()).rows).toEqual(['row 1', 'row 2', 'row 3'])
  place.objects.delete(parts.at(-1) ?? '')
  expect((await restored()).rows).toEqual(['row 1', 'row 2', 'row 3'])
})

test.each([
  ['damaged', damage],
  ['cut', cut],
])(
  'a %s segment in the middle: the time and the loss are named, and nothing changes unasked',
  async (_, harm) => {
    for (const n of [1, 2, 3, 4]) await copy(`row ${n}`)
    const segments = named('segments/')
    expect(segments.length).toBeGreaterThanOrEqual(3)
    harm(segments.at(-2))
    const end = parseFileTime(segments.at(-3)?.split('-')[2] ?? '')
    const until = end?.toISOString().slice(0, 16).replace('T', ' ')
    const loss = new RegExp(`restored as of ${until}.* UTC.*2 objects.*newest change.*2030-`, 's')
    await expect(restored()).rejects.toThrow(loss)
    const asked: string[] = []
    const accept = async (text: string) => asked.push(text) > 0
    expect((await restored({ confirmLoss: accept })).rows).toEqual(['row 1', 'row 2'])
    expect(asked).toEqual([expect.stringMatching(loss)])
    await expect(restored({ confirmLoss: async () => false })).rejects.toThrow('Nothing was changed.')
    // An earlier moment is whole.
    expect((await restored({ at: end })).rows).toEqual(['row 1', 'row 2'])
  },
)

/** The head after one bit has flipped. */
const renamed = (head?: Uint8Array) => Buffer.from(`${Buffer.from(head ?? [])}`.replace('format', 'gormat'))

test('what was copied with a clock ahead is no later change', async () => {
  await copy('row 1')
  ms += 400 * 24 * 60 * 60_000
  replicator.renew()
  await copy('row 2')
  await copy('row 3')
  ms -= 400 * 24 * 60 * 60_000
  replicator.renew()
  await copy('row 4')
  expect((await restored()).rows).toEqual(['row 1', 'row 2', 'row 3', 'row 4'])
})

test('a listed state is restored, although the clock was set back before it', async () => {
  await copy('row 1')
  ms -= 2 * 24 * 60 * 60_000
  await copy('row 2')
  const [last] = named('segments/').slice(-1)
  const at = parseFileTime(last?.split('-')[2] ?? '')
  ms += 3 * 24 * 60 * 60_000
  await copy('row 3')
  expect((await restored({ at })).rows).toEqual(['row 1', 'row 2'])
  // A time between the clocks, before everything that was written.
  await expect(restored({ at: new Date(Number(at) - 1) })).rejects.toThrow('no complete database')
})

test.each([
  ['names another key', damage],
  ['is cut', cut],
  ['names no format', (name: string) => void place.objects.set(name, renamed(place.objects.get(name)))],
  ['is lost', (name: string) => void place.objects.delete(name)],
])('a head that %s hides no copy that the key opens', async (_, harm) => {
  await copy('row 1')
  harm('pds-replica')
  expect((await restored()).rows).toEqual(['row 1'])
  const other = createSealer(await ReplicaKey.generate())
  await expect(restored({ target: { place, sealer: other } })).rejects.toThrow(PlaceProblem)
  replicator.forget()
  await copy('row 2')
  expect(replicator.state.problem).toBeUndefined()
  expect(await readHead(place)).toEqual({ key: sealer.fingerprint })
})

test('a damaged head and damaged leases hide no copy of which the key opens a base', async () => {
  await copy('row 1')
  for (const name of ['pds-replica', ...named('timelines/')]) place.objects.set(name, Buffer.from('damaged'))
  expect((await restored()).rows).toEqual(['row 1'])
  const other = createSealer(await ReplicaKey.generate())
  await expect(restored({ target: { place, sealer: other } })).rejects.toThrow(PlaceProblem)
})

test('an object that is damaged in one answer only is read again', async () => {
  await copy('row 1')
  await copy('row 2')
  const [last = ''] = named('segments/').slice(-1)
  const whole = place.objects.get(last) ?? Buffer.alloc(0)
  const answers = [Buffer.alloc(whole.length)]
  place.get = async (name) => (name === last ? (answers.pop() ?? whole) : place.objects.get(name))
  expect((await restored()).rows).toEqual(['row 1', 'row 2'])
})

/** Restores, and returns the generation of the timeline that the next start continues. */
async function generationOfRestore(): Promise<number> {
  const to = await mkdtemp(join(root, 'generation-'))
  await bringBack({ target: { place, sealer }, dataDir: to, now, confirmLoss: async () => true })
  return (await beginTimeline(nodeFiles, to, { seq: 0, now })).current.generation
}

describe('a restore begins a generation above all others', () => {
  const [lost, other] = ['000005_abcd', '000007_abcd']

  test('also above that of a base or segment whose timeline is lost', async () => {
    await copy('row 1')
    expect(await generationOfRestore()).toBe(2)
    place.objects.set(`bases/000000000009-20300101T000000000Z-2-${lost}/00001-100`, Buffer.alloc(1))
    expect(await generationOfRestore()).toBe(6)
    place.objects.set(`segments/000000000009-000000000009-20300101T000000000Z-9-${other}`, Buffer.alloc(1))
    expect(await generationOfRestore()).toBe(8)
  })

  test('also above those that one listing lacks', async () => {
    await copy('row 1')
    place.objects.set(`timelines/${other}`, Buffer.alloc(1))
    const list = place.list.bind(place)
    let listings = 0
    place.list = async (folder) => {
      const entries = await list(folder)
      const isShort = folder === 'timelines' && ++listings % 2 === 1
      return isShort ? entries.filter(({ name }) => name !== other) : entries
    }
    for (let odd = 0; odd < 2; odd++) {
      listings = odd
      expect(await generationOfRestore()).toBe(8)
    }
  })
})

async function* chunks(text: string) {
  yield Buffer.from(text)
}

describe('media', () => {
  const cids = [1, 2, 3].map((n) => blobCid(newBlobHash().update(`file ${n}`)))

  /** Copies rows of media, and their objects. */
  async function copyMedia(): Promise<void> {
    await copy('row 1')
    await store.transact((tx) => {
      tx.run("INSERT INTO actors (id, did) VALUES (1, 'did:web:alice.test')")
      tx.run(
        `INSERT INTO accounts (id, did, handle, is_minted, created_at, signing_key, signing_key_did)
         VALUES (1, 'did:web:alice.test', 'alice.test', 0, '2030', x'00', '')`,
      )
      for (const cid of cids) {
        tx.run("INSERT INTO blobs (account, cid, mime_type, size) VALUES (1, ?, 'text/plain', 6)", [
          cidBytes(cid),
        ])
      }
    })
    for (const [n, cid] of cids.entries()) {
      await writeBlob(nodeFiles, join(dataDir, 'blobs'), cid, chunks(`file ${n + 1}`))
    }
    await copy('row 2')
    expect(named('media/')).toHaveLength(3)
  }

  test('that one listing lacks are listed again', async () => {
    await copyMedia()
    const list = place.list.bind(place)
    const short = new Set(named('media/').map((name) => name.slice(0, 7)))
    place.list = async (folder) => (short.delete(folder) ? [] : list(folder))
    expect((await restored()).missing).toEqual([])
  })

  test('that the place lacks are asked about, and their rows stay, marked as missing', async () => {
    await copyMedia()
    place.objects.delete(named('media/')[0] ?? '')
    const asked: string[] = []
    const refuse = async (text: string) => asked.push(text) === 0
    await expect(restored({ confirmLoss: refuse })).rejects.toThrow('Nothing was changed.')
    expect(asked).toEqual(['The copy lacks 1 of 3 media files.'])
    // The desktop shows them afterwards.
    const { missing, marked, blobs } = await restored()
    expect(missing).toHaveLength(1)
    expect([marked, blobs]).toEqual([missing, 3])
  })

  test('that neither side has are counted ahead of the restore, which does not fetch the database again', async () => {
    await copyMedia()
    place.objects.delete(named('media/')[0] ?? '')
    const target = { place, sealer }
    // The server here runs, and has them all.
    expect(await fetchAhead({ target, dataDir })).toMatchObject({ missingMedia: 0, loss: undefined })
    await removeFetched(dataDir)
    expect(await readdir(dataDir)).not.toContain('copy.fetched')

    const to = await mkdtemp(join(root, 'restored-'))
    expect(await fetchAhead({ target, dataDir: to })).toMatchObject({ missingMedia: 1, loss: undefined })
    const get = place.get.bind(place)
    const fetched: string[] = []
    place.get = (name) => {
      fetched.push(name)
      return get(name)
    }
    expect((await bringBack({ target, dataDir: to, now })).missing).toHaveLength(1)
    expect(fetched.filter((name) => /^bases\/.*\/\d+-\d+$|^segments\//.test(name))).toEqual([])
  })

  test('that the place lacks come from the backups in the data folder', async () => {
    await copyMedia()
    for (const name of named('media/')) place.objects.delete(name)
    const to = await mkdtemp(join(root, 'restored-'))
    for (const [n, cid] of cids.slice(0, 2).entries())
      await writeBlob(nodeFiles, join(to, 'backups', 'blobs'), cid, chunks(`file ${n + 1}`))
    const { missing } = await bringBack({ target: { place, sealer }, dataDir: to, now })
    expect(missing).toEqual(cids.slice(2))
  })
})

describe('ahead of a restore', () => {
  test('the database is put together in a thread, because this one serves requests', async () => {
    await copy('row 1')
    const threads: string[] = []
    const add = ({ threadName }: Worker) => void threads.push(threadName ?? '')
    process.on('worker', add)
    onTestFinished(() => void process.off('worker', add))
    const to = await mkdtemp(join(root, 'restored-'))
    expect(await fetchAhead({ target: { place, sealer }, dataDir: to })).toMatchObject({ loss: undefined })
    expect(threads).toContain('replica files')
  })

  test('changes that do not fit are left out, and counted as lost', async () => {
    await copy('row 1')
    await copy('row 2')
    const last = named('segments/').at(-1) ?? ''
    const { length } = await sealer.open(last, place.objects.get(last) ?? Buffer.alloc(0))
    place.objects.set(last, Buffer.from(await sealer.seal(last, Buffer.alloc(length))))
    const to = await mkdtemp(join(root, 'restored-'))
    const { loss } = await fetchAhead({ target: { place, sealer }, dataDir: to })
    expect(loss).toContain('1 object with later changes cannot be used')
  })
})

describe('before anything is fetched', () => {
  test('the lock is taken', async () => {
    await copy('row 1')
    const get = place.get.bind(place)
    place.get = (name) => (name === 'pds-replica' ? get(name) : refuse())
    const target = { place, sealer }
    await expect(bringBack({ target, dataDir, now })).rejects.toThrow(StoreLocked)
  })

  test('the disk must have space for it', async () => {
    await copy('row 1')
    const files = { ...nodeFiles, freeBytes: async () => 20_000 }
    await expect(restored({ files })).rejects.toThrow(/The copy needs \d+ MB, more than the disk has free/)
  })

  test('that is space for its database as it is without compression', async () => {
    await store.transact((tx) =>
      tx.run('INSERT INTO secrets VALUES (?, ?)', ['zeros', Buffer.alloc(8_000_000)]),
    )
    await copy('row 1')
    const get = place.get.bind(place)
    place.get = (name) => (/\/\d+-\d+$/.test(name) ? refuse() : get(name))
    const files = { ...nodeFiles, freeBytes: async () => 12_000_000 }
    await expect(restored({ files })).rejects.toThrow(/The copy needs 1[78] MB, more than the disk has free/)
  })

  test('a disk that has just this space is enough', async () => {
    await store.transact((tx) =>
      tx.run('INSERT INTO secrets VALUES (?, ?)', ['noise', randomBytes(3_000_000)]),
    )
    await copy('row 1')
    const free = async () => 11_000_000 - ((await nodeFiles.measureDir(to))?.bytes ?? 0)
    const to = await mkdtemp(join(root, 'small-'))
    const files = { ...nodeFiles, freeBytes: free }
    await bringBack({ target: { place, sealer }, dataDir: to, now, files })
    const other = { ...nodeFiles, freeBytes: async () => 9_500_000 }
    await expect(restored({ files: other })).rejects.toThrow('more than the disk has free')
  })
})

async function refuse(): Promise<never> {
  throw new Error('fetched')
}

test.each([
  ['a part of the base', 'parts', (bytes: Buffer) => bytes.subarray(0, 10)],
  ['an empty segment', 'segments', () => Buffer.alloc(0)],
  ['a changed segment', 'segments', (bytes: Buffer) => Buffer.from(bytes).fill(0, bytes.length - 30)],
])(
  'what an earlier call has fetched, and the disk has damaged, is fetched again: %s',
  async (_, kind, change) => {
    for (const text of ['row 1', 'row 2', 'row 3']) await copy(text)
    const to = await mkdtemp(join(root, 'again-'))
    const options = { target: { place, sealer }, dataDir: to, now }
    const stop = () => {
      throw new Error('The power is cut.')
    }
    await expect(bringBack({ ...options, onOpened: stop })).rejects.toThrow('cut')
    const [base = ''] = await readdir(join(to, 'copy.fetched'))
    const folder = join(to, 'copy.fetched', base, kind)
    for (const name of await readdir(folder))
      await writeFile(join(folder, name), change(await readFile(join(folder, name))))
    const { at } = await bringBack(options)
    expect(at).toEqual((await findChain(options.target)).at)
  },
)

test('a restore of a backup that fails leaves nothing of it', async () => {
  await copy('row 1')
  const backup = await makeBackup({ dataDir, now, store })
  await store.close()
  const stop = () => {
    throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
  }
  const failing = bringBack({ target: localTarget(dataDir), dataDir, base: backup.name, now, onOpened: stop })
  await expect(failing).rejects.toThrow('ENOSPC')
  expect(await readdir(dataDir)).not.toContain('copy.fetched')
})
