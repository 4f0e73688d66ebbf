/** A server that was restored on another computer, and the one that it comes from. */
import { mkdtempSync } from 'node:fs'
import { cp, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { bringBack } from '../../../../server/operation/replicas/bring-back.ts'
import { CredentialsUnavailable, credentialsName } from '../../../../server/operation/replicas/credentials.ts'
import { openPlace } from '../../../../server/operation/replicas/places/open.ts'
import { ReplicaKey } from '../../../../server/operation/replicas/replica-key.ts'
import { createSealer } from '../../../../server/operation/replicas/sealer.ts'
import { blobOf, png } from '../../../support/records/blobs.ts'
import { post, textsAt } from '../../../support/replicas/copies.ts'
import { adminAuth, TestServer } from '../../../support/server/server.ts'
import { owner as alice, server, setupServer } from '../../../support/server/setup.ts'
import { copyDataFolder } from '../../../support/store/copy-data-folder.ts'

let root: string
let place: string
let url: string

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'pds-copies-'))
})
afterAll(() => rm(root, { recursive: true }))
setupServer({
  per: 'test',
  accounts: ['alice'],
  config() {
    place = mkdtempSync(join(root, 'place-'))
    url = pathToFileURL(place).href
    return { copies: [url] }
  },
})

async function placeOf(there: TestServer) {
  const { body } = await there.get('com.core.admin.getCopies', {}, adminAuth)
  return body.places[0]
}

/** Waits until the place has everything. */
function copied(there: TestServer): Promise<void> {
  return vi.waitFor(
    async () => {
      const { lastCopiedAt, behindSeconds, problem } = await placeOf(there)
      expect([problem, behindSeconds, typeof lastCopiedAt]).toEqual([undefined, 0, 'string'])
      const { seq } = there.running.services.operation.copies.status()[0] ?? {}
      expect(seq).toBe(there.running.services.store.seq)
    },
    { timeout: 20_000 },
  )
}

/** Reads the places again, until one says that another computer continues the server. */
async function noticed(there: TestServer): Promise<void> {
  there.running.services.operation.copies.wake()
  await vi.waitFor(async () => expect((await placeOf(there)).problem?.kind).toBe('elsewhere'), {
    timeout: 20_000,
  })
}

/** Starts a server on a copy of the data folder, with the clock of the other one. */
function startClone(dataDir: string): Promise<TestServer> {
  return TestServer.start({ dataDir, copies: [url] }, undefined, { now: server.clock.now })
}

/** Two computers on one data folder read the place until the one that began later yields; the other one goes on. */
async function yields(later: TestServer, earlier: TestServer): Promise<void> {
  await vi.waitFor(
    async () => {
      for (const each of [earlier, later]) each.running.services.operation.copies.wake()
      expect((await placeOf(later)).problem?.kind).toBe('elsewhere')
    },
    { timeout: 20_000, interval: 500 },
  )
  await copied(earlier)
}

/** Restores the copy on another computer, and starts it there. */
async function restoreElsewhere(): Promise<TestServer> {
  const dataDir = await mkdtemp(join(root, 'elsewhere-'))
  const copiesCredentials = join(server.config.dataDir, credentialsName)
  const { key } = JSON.parse(await readFile(copiesCredentials, 'utf8'))
  const sealer = createSealer(await ReplicaKey.parse(key))
  await bringBack({ target: { place: await openPlace(url), sealer }, dataDir, now: () => new Date() })
  await sealer.end()
  return TestServer.start({ dataDir, copies: [url], copiesCredentials })
}

test('the restored server goes on, and the one that it comes from refuses writes until it is continued', async () => {
  await post(server, 'one')
  await copied(server)
  const restored = await restoreElsewhere()
  await copied(restored)
  expect((await post(restored, 'two')).status).toBe(200)
  await copied(restored)

  await noticed(server)
  const refused = await post(server, 'three')
  expect(refused.status).toBe(503)
  expect(refused.body.message).toMatch(
    /^Another computer has continued this server since .* accepts no changes/,
  )
  expect(await textsAt(server)).toEqual(['one'])

  // A place out of reach says nothing new.
  await rename(place, `${place}-away`)
  await server.running.services.operation.copies.flush(20_000)
  expect((await post(server, 'three')).status).toBe(503)
  // Nor does a start without it.
  await server.restart()
  expect((await post(server, 'three')).status).toBe(503)
  await rename(`${place}-away`, place)

  expect((await server.post('com.core.admin.continueServer', undefined, adminAuth)).status).toBe(200)
  await copied(server)
  expect((await post(server, 'three')).status).toBe(200)
  await copied(server)
  await noticed(restored)
  expect((await post(restored, 'four')).status).toBe(503)
  expect(await textsAt(restored)).toEqual(['one', 'two'])
  await restored.close()

  const again = await restoreElsewhere()
  expect(await textsAt(again)).toEqual(['one', 'three'])
  await again.close()
})

test('a copied data folder that falls behind refuses writes once both computers have read the place', async () => {
  await post(server, 'one')
  await copied(server)
  await server.running.close()
  const dataDir = join(root, 'copied')
  await cp(server.config.dataDir, dataDir, { recursive: true })
  await server.open()
  await post(server, 'two')
  await copied(server)
  const second = await startClone(dataDir)
  await copied(second)
  await yields(second, server)
  expect((await post(second, 'three')).status).toBe(503)
  expect(await textsAt(second)).toEqual(['one'])
  await second.close()
})

test('a copied data folder that goes on beyond the copy is noticed by both computers', async () => {
  await post(server, 'one')
  await copied(server)
  await server.running.close()
  const dataDir = join(root, 'cloned')
  await cp(server.config.dataDir, dataDir, { recursive: true })
  await server.open()
  await post(server, 'two')
  await copied(server)

  // It makes more changes than the copy has, before it can look at it.
  await rename(place, `${place}-away`)
  const clone = await startClone(dataDir)
  for (const text of ['three', 'four', 'five', 'six']) expect((await post(clone, text)).status).toBe(200)
  await rename(`${place}-away`, place)
  await yields(clone, server)
  expect((await post(clone, 'seven')).status).toBe(503)
  expect((await post(server, 'later')).status).toBe(200)
  await copied(server)
  const restored = await restoreElsewhere()
  expect(await textsAt(restored)).toEqual(['later', 'one', 'two'])
  await restored.close()

  expect((await clone.post('com.core.admin.continueServer', undefined, adminAuth)).status).toBe(200)
  expect((await post(clone, 'seven')).status).toBe(200)
  await copied(clone)
  await noticed(server)
  await clone.close()
})

test('two computers that run on one data folder notice each other', async () => {
  await post(server, 'one')
  await copied(server)
  const dataDir = join(root, 'twin')
  await server.running.close()
  await cp(server.config.dataDir, dataDir, { recursive: true })
  await server.open()
  const twin = await startClone(dataDir)
  await post(server, 'two')
  await copied(server)
  await yields(twin, server)
  expect((await post(server, 'three')).status).toBe(200)
  // Neither a restart of the one that goes on, nor of the other one, changes that.
  await server.restart()
  await copied(server)
  await twin.restart()
  await noticed(twin)
  expect((await post(server, 'four')).status).toBe(200)
  await copied(server)
  await twin.close()
})

test('a copied data folder that has started often without the place yields to the computer that still runs', async () => {
  await post(server, 'one')
  await copied(server)
  const dataDir = join(root, 'often')
  await copyDataFolder(server.config.dataDir, dataDir)
  await post(server, 'two')
  await copied(server)
  await rename(place, `${place}-away`)
  const clone = await startClone(dataDir)
  for (let starts = 0; starts < 9; starts++) await clone.restart()
  await rename(`${place}-away`, place)
  await yields(clone, server)
  expect((await post(server, 'three')).status).toBe(200)
  await copied(server)
  await clone.close()
})

test('a computer whose server is continued elsewhere refuses writes without its places, too, until its owner decides', async () => {
  await post(server, 'one')
  await copied(server)
  const restored = await restoreElsewhere()
  await copied(restored)
  await noticed(server)
  await server.running.close()
  const alone = await TestServer.start({ dataDir: server.config.dataDir, copies: [] })
  const isElsewhere = async () => (await alone.get('com.core.admin.getCopies', {}, adminAuth)).body.elsewhere
  expect((await post(alone, 'two')).status).toBe(503)
  expect(await isElsewhere()).toBe(true)
  expect((await alone.post('com.core.admin.continueServer', undefined, adminAuth)).status).toBe(200)
  expect((await post(alone, 'two')).status).toBe(200)
  await alone.restart()
  expect((await post(alone, 'three')).status).toBe(200)
  expect(await isElsewhere()).toBe(false)
  await alone.running.close()
  await server.open()
  await copied(server)
  await noticed(restored)
  await restored.close()
})

test('without the key, a computer whose server is continued elsewhere refuses writes until its owner decides', async () => {
  await post(server, 'one')
  await copied(server)
  const restored = await restoreElsewhere()
  await copied(restored)
  await noticed(server)
  await server.running.close()
  const copiesKeeper = {
    read: () => Promise.reject(new CredentialsUnavailable('The keyring does not answer.')),
    write: async () => {},
  }
  const { dataDir } = server.config
  const locked = await TestServer.start({ dataDir, copies: [url] }, undefined, { copiesKeeper })
  expect((await placeOf(locked)).problem?.kind).toBe('elsewhere')
  expect((await post(locked, 'two')).status).toBe(503)
  expect((await locked.post('com.core.admin.continueServer', undefined, adminAuth)).status).toBe(200)
  expect((await placeOf(locked)).problem?.kind).toBe('local')
  expect((await post(locked, 'two')).status).toBe(200)
  await locked.running.close()
  await server.open()
  await copied(server)
  await noticed(restored)
  await restored.close()
})

test('writes are accepted at once after the owner has decided, although a place cannot be reached', async () => {
  await post(server, 'one')
  await copied(server)
  const restored = await restoreElsewhere()
  await copied(restored)
  await noticed(server)
  await rename(place, `${place}-away`)
  expect((await server.post('com.core.admin.continueServer', undefined, adminAuth)).status).toBe(200)
  expect((await post(server, 'two')).status).toBe(200)
  await rename(`${place}-away`, place)
  await restored.close()
})

test('a place can read neither names nor content', async () => {
  const image = await blobOf(server, alice, png('a quiet lake', 5000))
  await post(server, 'the secret of the lake', { image, alt: 'a quiet lake' })
  await copied(server)
  const cid = image.ref.$link
  const secrets = ['alice', 'did:', 'secret', 'quiet lake', 'app.example', 'SQLite', 'INSERT', cid]
  const names = await readdir(place, { recursive: true })
  expect(names.length).toBeGreaterThan(5)
  for (const name of names) {
    const content = await readFile(join(place, name)).catch(() => Buffer.alloc(0))
    for (const readable of [Buffer.from(name), content, ...unpacked(content)]) {
      for (const secret of secrets) expect(readable.includes(secret), `${secret} in ${name}`).toBe(false)
    }
  }
})

/** What decompression makes of an object, from each of its first bytes on. */
function unpacked(content: Buffer): Buffer[] {
  return Array.from({ length: Math.min(300, content.length) }, (_, start) => content.subarray(start)).flatMap(
    (part) =>
      [gunzipSync, zstdDecompressSync].flatMap((decompress) => {
        try {
          return [decompress(part)]
        } catch {
          return []
        }
      }),
  )
}
