/** Uploads, references and deletions of blobs on a disk that fails, at every file operation. */
import { createHash } from 'node:crypto'
import { cidForRawHash } from '@atproto/lex-data'
import { beforeAll, expect, test } from 'vitest'
import { type Blobs, createBlobs } from '../../../../server/repository/blobs/blobs.ts'
import * as table from '../../../../server/repository/tables/blobs.ts'
import * as records from '../../../../server/repository/tables/records.ts'
import { schema } from '../../../../server/schema/schema.ts'
import { Database } from '../../../../server/store/database.ts'
import { isIntact } from '../../../../server/store/files/blob-files.ts'
import { blobPath } from '../../../../server/store/files/layout.ts'
import * as accounts from '../../../../server/store/tables/accounts.ts'
import { createLogger } from '../../../../server/util/log.ts'
import { plausibleClock } from '../../../support/server/clock.ts'
import { type Fault, FaultyDisk } from '../../../support/store/faulty-disk.ts'

const directory = '/data'
const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const collection = 'org.example.thing'
const day = 24 * 60 * 60_000
const content = Buffer.from('an upload'.repeat(200))
const cid = cidForRawHash(createHash('sha256').update(content).digest()).toString()

async function* body() {
  yield content.subarray(0, 700)
  yield content.subarray(700)
}

class Server {
  readonly #disk: FaultyDisk
  store!: Database
  blobs!: Blobs

  constructor(disk: FaultyDisk) {
    this.#disk = disk
  }

  async open(at: number): Promise<void> {
    const { files } = this.#disk
    const now = () => new Date(at)
    this.store = await Database.open({ directory, schema, now, files })
    this.blobs = createBlobs({
      store: this.store,
      files,
      dataDir: directory,
      log: createLogger('silent'),
      now,
      clock: plausibleClock,
    })
    await this.blobs.removeTemporaries()
  }

  upload = () => this.blobs.upload(did, { encoding: 'text/plain', length: undefined, body: body() })

  /** Writes a record that names the blob. */
  refer = () =>
    this.store.transact((tx) => {
      const record = {
        did,
        collection,
        rkey: 'one',
        cid,
        bytes: content,
        indexedAt: '2031-01-01T00:00:00.000Z',
      }
      records.insert(tx, record as Parameters<typeof records.insert>[1], [cid])
      table.refer(tx, did, cid)
    })

  /** Deletes that record, and then the blob. */
  erase = async () => {
    await this.store.transact((tx) => {
      const record = records.find(tx, did, collection, 'one')
      if (record) records.remove(tx, record.id)
    })
    await this.blobs.release(did, [cid])
  }

  isReferenced = () => table.findReferenced(this.store, did, cid) !== undefined
}

/** A disk with one account. */
let prepared: FaultyDisk
beforeAll(async () => {
  prepared = new FaultyDisk()
  await prepared.files.makeDir(directory)
  const server = new Server(prepared)
  await server.open(0)
  await server.store.transact(insertAccount)
  await server.store.close()
})

const faults: Fault[] = ['kill', 'power cut', 'power cut, last kept', 'fails']

test.each(faults)('an acknowledged blob is there and no file is left over after: %s', async (fault) => {
  const { operations } = await story()
  const outcomes = new Set<string>()
  for (let operation = 1; operation <= operations; operation++) {
    const { disk, acknowledged } = await story({ operation, fault })
    disk.restart()
    const server = new Server(disk)
    await server.open(2 * day)
    const isReferenced = server.isReferenced()
    const isThere = table.find(server.store, did, cid) !== undefined
    const hasFile = () => isIntact(disk.files, blobPath('/data/blobs', cid), cid)
    if (['upload', 'refer', 'upload again', 'erase'].includes(acknowledged)) expect(isThere).toBe(true)
    if (acknowledged === 'delete') expect(isThere).toBe(false)
    if (acknowledged === 'refer') expect(isReferenced).toBe(true)
    if (isThere) expect(await hasFile()).toBe(true)
    await server.blobs.expire()
    await server.blobs.sweep()
    expect(server.isReferenced()).toBe(isReferenced)
    expect(await hasFile()).toBe(isReferenced)
    expect(disk.names('/data/blobs')).toEqual([])
    outcomes.add(acknowledged)
    await server.store.close()
  }
  expect(outcomes.size).toBeGreaterThan(3)
})

/**
 * Uploads a blob, names it in a record, uploads it again and deletes the record, which the second upload survives; then names
 * it again and deletes that record too. Returns the last step that succeeded, and the number of file operations.
 */
async function story(failure?: { operation: number; fault: Fault }) {
  const disk = prepared.clone()
  const server = new Server(disk)
  await server.open(0)
  const start = disk.operations
  if (failure) disk.failAt(start + failure.operation, failure.fault)
  let acknowledged = 'nothing'
  const steps = {
    upload: server.upload,
    refer: server.refer,
    'upload again': server.upload,
    erase: server.erase,
    'refer again': server.refer,
    delete: server.erase,
  }
  try {
    for (const [name, step] of Object.entries(steps)) {
      await step()
      acknowledged = name
    }
  } catch {
    // The rest of the story does not happen.
  }
  const operations = disk.operations - start
  disk.kill()
  return { disk, acknowledged, operations }
}

function insertAccount(tx: Parameters<Parameters<Database['transact']>[0]>[0]): void {
  accounts.insert(tx, {
    did,
    handle: 'alice.test',
    email: null,
    passwordHash: null,
    isOwner: true,
    isMinted: true,
    createdAt: '2031-01-01T00:00:00.000Z',
    deactivatedAt: null,
    activateBy: null,
    streamState: 1,
    inviteCode: null,
    signingKey: new Uint8Array(32),
    signingKeyDid: 'did:key:none',
    plcOperation: null,
  } as Parameters<typeof accounts.insert>[1])
}
