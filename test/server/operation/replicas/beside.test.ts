/** Changes are copied beside a base and beside media that take long to send. */
import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { cidForRawHash } from '@atproto/lex-data'
import { beforeEach, expect, test, vi } from 'vitest'
import type { Replicator } from '../../../../server/operation/replicas/replicator.ts'
import type { Sealer } from '../../../../server/operation/replicas/sealer.ts'
import type { Database } from '../../../../server/store/database.ts'
import { writeBlob } from '../../../../server/store/files/blob-files.ts'
import { nodeFiles } from '../../../../server/store/files/files.ts'
import { cidBytes } from '../../../../server/util/cid.ts'
import { MemoryPlace } from '../../../support/replicas/memory-place.ts'
import { insert, replicatorOf, setupStore } from '../../../support/replicas/replicator.ts'

/** A place whose uploads of some objects last until they are released. */
class SlowPlace extends MemoryPlace {
  slow = /^$/
  readonly #asked = Promise.withResolvers<void>()
  readonly #released = Promise.withResolvers<void>()

  override async put(name: string, bytes: Uint8Array): Promise<void> {
    if (this.slow.test(name)) {
      this.#asked.resolve()
      await this.#released.promise
    }
    await super.put(name, bytes)
  }

  /** Resolves with the first slow upload. */
  asked(): Promise<void> {
    return this.#asked.promise
  }

  release(): void {
    this.#released.resolve()
  }
}

const now = () => new Date()
let sealer: Sealer
let dataDir: string
let store: Database
let place: SlowPlace
let replicator: Replicator

const own = setupStore(now)
beforeEach(async () => {
  ;({ dataDir, store, sealer } = own)
  place = new SlowPlace()
  replicator = await replicatorOf({ store, dataDir, now, place, sealer, besideMs: 1 })
})

const write = (text: string) => insert(store, text)

async function addMedia(): Promise<void> {
  const content = randomBytes(100)
  const cid = cidForRawHash(createHash('sha256').update(content).digest()).toString()
  async function* chunks() {
    yield content
  }
  await writeBlob(nodeFiles, join(dataDir, 'blobs'), cid, chunks())
  const did = 'did:web:media.example'
  await store.transact((tx) => {
    tx.run('INSERT INTO actors (id, did) VALUES (1, ?)', [did])
    tx.run(
      `INSERT INTO accounts (id, did, handle, is_minted, created_at, signing_key, signing_key_did)
       VALUES (1, ?, 'media.example', 0, '2030-01-01T00:00:00Z', x'00', 'did:key:z')`,
      [did],
    )
    tx.run("INSERT INTO blobs (account, cid, mime_type, size) VALUES (1, ?, 'image/png', 100)", [
      cidBytes(cid),
    ])
  })
}

/** Writes while an upload lasts, and waits until the place has the change. Then the upload ends. */
async function writesBeside(): Promise<void> {
  const step = replicator.step()
  await place.asked()
  await write('meanwhile')
  await vi.waitFor(() => expect(replicator.state.journalSeq).toBe(store.seq), 30_000)
  place.release()
  await step
  expect(replicator.state).toMatchObject({ problem: undefined, seq: store.seq, missingMedia: 0 })
}

test('a part of the first base that takes long keeps no change waiting', async () => {
  await write('before')
  place.slow = /^bases\/.*\/00001-/
  await writesBeside()
})

test('a media file that takes long keeps no change waiting', async () => {
  await addMedia()
  place.slow = /^media\//
  await writesBeside()
})

test('the place is read again while media are sent: they go on', async () => {
  await addMedia()
  place.slow = /^media\//
  const step = replicator.step()
  await place.asked()
  replicator.forget()
  place.release()
  await step
  expect(replicator.state).toMatchObject({ problem: undefined, missingMedia: 0 })
})
