/** What copies do not do: send on metered networks, and keep journals for a place that is away without an end. */
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, open, readdir, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { readContent } from '../../../../server/operation/replicas/catalog.ts'
import { CredentialsUnavailable } from '../../../../server/operation/replicas/credentials.ts'
import { folderPlace } from '../../../../server/operation/replicas/places/folder.ts'
import { type Place, PlaceProblem } from '../../../../server/operation/replicas/places/place.ts'
import { ReplicaKey, sealedBytes } from '../../../../server/operation/replicas/replica-key.ts'
import { createReplicas } from '../../../../server/operation/replicas/replicas.ts'
import { createSealer } from '../../../../server/operation/replicas/sealer.ts'
import { waysTo } from '../../../../server/operation/replicas/ways/ways.ts'
import { nodeFiles } from '../../../../server/store/files/files.ts'
import { journalPath } from '../../../../server/store/files/layout.ts'
import { runCommand } from '../../../support/replicas/copies.ts'
import { replicatorOf } from '../../../support/replicas/replicator.ts'
import { owner as alice, server, setupServer } from '../../../support/server/setup.ts'

let root: string
let place: string

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'pds-limits-'))
  place = join(root, 'place')
  await mkdir(place)
})
afterAll(() => rm(root, { recursive: true }))
setupServer({ config: () => ({ copies: [pathToFileURL(place).href] }), accounts: ['alice'] })

const services = () => server.running.services
const copies = () => services().operation.copies
const write = (text: string) =>
  server.post(
    'com.core.repo.createRecord',
    { repo: alice.did, collection: 'org.example.thing', record: { text } },
    alice,
  )

async function newestWay(place: Place) {
  for (const way of waysTo(await readContent({ place, sealer: { sealedBytes } }))) return way
  return undefined
}

/** A replicator of the server to another folder. */
async function otherCopier(to: Place, isMetered = async () => false) {
  const { store } = services()
  const { dataDir } = server.config
  const sealer = createSealer(await ReplicaKey.generate())
  const { now } = server.clock
  return replicatorOf({ store, dataDir, now, place: to, sealer, id: 'other', isMetered })
}

test('nothing is sent while the network is metered, and everything afterwards', async () => {
  const other = join(root, 'other')
  await mkdir(other)
  let isMetered = true
  const replicator = await otherCopier(folderPlace(other), async () => isMetered)
  await replicator.step()
  expect(replicator.state).toMatchObject({ isPaused: true, seq: undefined, problem: undefined })
  expect(await readdir(other)).toEqual([])
  isMetered = false
  await replicator.step()
  expect(replicator.state).toMatchObject({ isPaused: false, problem: undefined })
  expect(replicator.state.seq).toBeGreaterThanOrEqual(1)
})

test('journals for a place that is away are removed when they are large; it gets the database later', async () => {
  const { store } = services()
  await copies().flush(20_000)
  await rm(place, { recursive: true })
  await write('while it is away')
  await copies().flush(20_000)
  await store.checkpoint()
  const kept = join(server.config.dataDir, 'copies', 'journals')
  const names = await readdir(kept)
  expect(names.length).toBeGreaterThan(0)
  await copies().limitJournals()
  expect(await readdir(kept)).toEqual(names)

  // Only its size counts.
  const file = await open(join(kept, names[0] as string), 'r+')
  await file.truncate(300_000_000)
  await file.close()
  await copies().limitJournals()
  expect(await readdir(kept)).toEqual([])

  await mkdir(place)
  await write('when it is back')
  copies().wake()
  await copies().flush(20_000)
  // It may be the mount point of a disk that is not connected.
  expect(copies().status()[0]?.problem?.kind).toBe('empty')
  expect(await readdir(place)).toEqual([])
  const url = pathToFileURL(place).href
  const accepting = ['--accept-empty', url, '--data-dir', server.config.dataDir]
  expect(await runCommand('backup', accepting, { PDS_COPIES: url })).toContain('begins anew')
  copies().wake()
  await copies().flush(20_000)
  const target = folderPlace(place)
  expect((await newestWay(target))?.seq).toBe(store.seq)
  expect(copies().status()[0]?.problem).toBeUndefined()
})

test('a base whose upload was cut off goes on with the next part', async () => {
  const { store } = services()
  await store.transact((tx) => {
    tx.run('CREATE TABLE filler (bytes BLOB)')
    for (let n = 0; n < 3; n++) tx.run('INSERT INTO filler VALUES (?)', [randomBytes(6_000_000)])
  })
  const other = join(root, 'cut')
  await mkdir(other)
  const target = folderPlace(other)
  const puts: string[] = []
  const replicator = await otherCopier({
    ...target,
    async put(name, bytes) {
      if (!name.startsWith('bases/')) return target.put(name, bytes)
      puts.push(name)
      if (puts.length === 2) throw new PlaceProblem('unreachable', 'The connection was cut.')
      await target.put(name, bytes)
    },
  })
  await replicator.step()
  expect(replicator.state.problem?.kind).toBe('unreachable')
  await replicator.step()
  expect(replicator.state.problem).toBeUndefined()
  expect(puts.filter((name) => /\/00001-\d+$/.test(name))).toHaveLength(1)
  expect((await newestWay(target))?.seq).toBe(store.seq)
})

test('journals do not grow without an end while a slow place gets its first database', async () => {
  const { store } = services()
  const { dataDir } = server.config
  const slow = join(root, 'slow')
  await mkdir(slow)
  const target = folderPlace(slow)
  const upload = Promise.withResolvers<void>()
  const replicator = await otherCopier({
    ...target,
    async put(name, bytes) {
      if (name.startsWith('bases/')) await upload.promise
      await target.put(name, bytes)
    },
  })
  const step = replicator.step()
  await vi.waitFor(() => expect(replicator.state.progress).toBeDefined(), { timeout: 20_000 })
  await write('while the database is sent')
  await copies().flush(20_000)
  await store.checkpoint()
  const kept = join(dataDir, 'copies', 'journals')
  for (const name of await readdir(kept)) await truncate(join(kept, name), 300_000_000)
  await copies().limitJournals()
  expect(await readdir(kept)).toEqual([])
  upload.resolve()
  await step
  await replicator.step()
  expect(replicator.state).toMatchObject({ problem: undefined, seq: store.seq })
  expect((await newestWay(target))?.seq).toBe(store.seq)
})

test('journals do not grow without an end while the key cannot be read', async () => {
  const dataDir = await mkdtemp(join(root, 'locked-'))
  const { config, log } = services()
  await writeFile(join(dataDir, 'pds.sqlite'), '')
  const waiting = await createReplicas({
    ...{
      config: { ...config, dataDir },
      store: services().store,
      files: nodeFiles,
      now: server.clock.now,
      log,
    },
    copiesKeeper: {
      read: () => Promise.reject(new CredentialsUnavailable('The keyring does not answer.')),
      write: async () => {},
    },
  })
  expect(waiting.status()[0]?.problem).toMatchObject({
    kind: 'local',
    message: 'The keyring does not answer.',
  })
  const kept = join(dataDir, 'copies', 'journals')
  for (const first of [1, 5]) {
    const path = journalPath(kept, first)
    await writeFile(path, '')
    await truncate(path, 200_000_000)
  }
  await writeFile(journalPath(dataDir, 9), '')
  await waiting.limitJournals()
  expect(await readdir(kept)).toEqual([])
})
