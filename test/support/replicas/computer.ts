/** A computer with the store and the copies of a server, on a disk in memory. Its process can end at any moment. */
import { createHash } from 'node:crypto'
import { cidForRawHash } from '@atproto/lex-data'
import type { Place } from '../../../server/operation/replicas/places/place.ts'
import type { PlaceStatus } from '../../../server/operation/replicas/replica-status.ts'
import { createReplicas, type Replicas } from '../../../server/operation/replicas/replicas.ts'
import { schema } from '../../../server/schema/schema.ts'
import type { Writer } from '../../../server/store/database/transaction.ts'
import { Database } from '../../../server/store/database.ts'
import { writeBlob } from '../../../server/store/files/blob-files.ts'
import type { Files } from '../../../server/store/files/files.ts'
import { blobPath, blobsName } from '../../../server/store/files/layout.ts'
import { StoreContinued, StoreDamaged } from '../../../server/store/files/store-errors.ts'
import { cidBytes, cidText } from '../../../server/util/cid.ts'
import { createLogger } from '../../../server/util/log.ts'
import { randomBytes } from '../../../server/util/random.ts'
import { FaultyDisk } from '../store/faulty-disk.ts'
import { type History, pathTo, type State, tokenPattern } from './history.ts'
import { filesOf } from './process-files.ts'
import { Violation } from './rules.ts'
import { flipped } from './simulated-place.ts'
import { settle } from './simulation.ts'

export const dataDir = '/data'
export const url = 'file:///place'
const blobs = `${dataDir}/${blobsName}`

export interface Surroundings {
  readonly history: History
  /** True time, in milliseconds since 1970. */
  readonly time: () => number
  readonly credentials: string
  readonly connect: (isOnline: () => boolean) => Place
}

/** One run of the server. */
interface Process {
  readonly store: Database
  readonly copies: Replicas
  isAlive: boolean
}

/** What a write came to. */
export type Written = 'acknowledged' | 'failed' | 'refused'

const log = createLogger('silent')

export class Computer {
  readonly name: string
  disk: FaultyDisk
  /** Milliseconds that its clock is ahead. */
  clockError = 0
  isOnline = true
  head: State
  /** Why its data cannot be read. */
  damage: string | undefined
  process: Process | undefined
  /** Called before the next sync of a journal, which then fails. */
  failingSync: (() => Promise<void>) | undefined
  /** Called when the database is about to be copied, which waits for the journal. */
  onCopyTo: () => void = () => {}
  readonly #around: Surroundings

  constructor(name: string, around: Surroundings, disk = new FaultyDisk()) {
    this.name = name
    this.disk = disk
    this.head = around.history.root
    this.#around = around
  }

  readonly now = () => new Date(this.#around.time() + this.clockError)

  get status(): PlaceStatus | undefined {
    return this.process?.copies.status()[0]
  }

  /** Starts the server. Without it when the data cannot be read: see `damage`. */
  async start(): Promise<void> {
    this.disk.restart()
    const process = { isAlive: true } as Process & { store: Database }
    const files = this.#filesOf(process)
    let store: Database | undefined
    try {
      store = await Database.open({
        ...{ directory: dataDir, schema, now: this.now, files, reserveBytes: 65_536, onFault() {} },
      })
      await store.afterRestore(async () => {})
      this.#watch(store)
      this.head = this.#headOf(store)
      for (const state of pathTo(this.head)) state.isRefused = false
    } catch (error) {
      await store?.close().catch(() => {})
      if (error instanceof Violation || !(error instanceof StoreDamaged)) throw error
      this.damage = error.message
      return
    }
    const copies = await createReplicas({
      config: {
        ...{ dataDir, copies: [url], copiesCredentials: undefined, copiesBandwidth: undefined },
        ...{ copiesKeep: 8, copiesMetered: true },
      },
      ...{ store, files, now: this.now, log },
      copiesKeeper: { read: async () => this.#around.credentials, write: async () => {} },
      openPlace: async () => this.#around.connect(() => process.isAlive && this.isOnline),
    })
    this.process = Object.assign(process, { store, copies })
    if (this.head.seq === 0) await this.#write((tx) => addAccount(tx))
  }

  /** Ends the process without a close. @param isPowerCut whether what was not synced is lost */
  async kill(isPowerCut = false): Promise<void> {
    const { process } = this
    this.process = undefined
    if (isPowerCut) this.disk.cutPower()
    else this.disk.kill()
    if (!process) return
    process.isAlive = false
    await process.store.close().catch(() => {})
    await process.copies.close(0).catch(() => {})
  }

  async stop(): Promise<void> {
    const { process } = this
    this.process = undefined
    await process?.copies.close(60_000)
    await process?.store.close()
    if (process) process.isAlive = false
  }

  async write(): Promise<Written> {
    return this.#write(() => {})
  }

  /** Adds a media file. */
  async addMedia(bytes: number): Promise<Written> {
    const content = randomBytes(bytes)
    const cid = cidForRawHash(createHash('sha256').update(content).digest()).toString()
    async function* chunks() {
      yield content
    }
    if (!this.process) return 'failed'
    const files = this.#filesOf(this.process)
    await writeBlob(files, blobs, cid, chunks())
    await files.syncDir(blobPath(blobs, cid).slice(0, -cid.length - 1))
    return this.#write((tx) => {
      tx.run('INSERT INTO blobs (account, cid, mime_type, size) VALUES (1, ?, ?, ?)', [
        ...[cidBytes(cid), 'image/png', bytes],
      ])
    }, cid)
  }

  async #write(work: (tx: Writer) => void, cid?: string): Promise<Written> {
    const { process } = this
    if (!process) return 'failed'
    const { history, time } = this.#around
    const token = randomBytes(6).toString('hex')
    const state = history.add({ parent: this.head, token, cid, at: time() })
    try {
      await process.store.transact((tx) => {
        const name = `${String(state.seq).padStart(8, '0')}#${token};`
        tx.run('INSERT INTO secrets (name, value) VALUES (?, ?)', [name, randomBytes(4)])
        work(tx)
      })
      state.isAcknowledged = true
      this.head = state
      return 'acknowledged'
    } catch (error) {
      state.isRefused = true
      return error instanceof StoreContinued ? 'refused' : 'failed'
    } finally {
      await settle()
    }
  }

  /** Copies as the timer does, or as after sleep, when the place is read again. */
  async copy(isWoken: boolean): Promise<void> {
    const { copies } = this.process ?? {}
    if (isWoken) copies?.wake()
    await copies?.flush(60_000)
    await settle()
  }

  /** Returns the media of its present state, with those that its disk has lost. */
  media(): { readonly cids: readonly string[]; readonly lost: readonly string[] } {
    const cids = [...pathTo(this.head)].flatMap(({ cid }) => cid ?? [])
    return { cids, lost: cids.filter((cid) => !this.hasMedia(cid)) }
  }

  /** CIDs of the media that its database names, or marks as missing. */
  mediaRows(table: 'blobs' | 'damaged_blobs'): Set<string> {
    const rows = this.process?.store.all<{ cid: Uint8Array }>(`SELECT cid FROM ${table}`) ?? []
    return new Set(rows.map(({ cid }) => cidText(cid)))
  }

  hasMedia(cid: string): boolean {
    const path = blobPath(blobs, cid)
    const folder = path.slice(0, -cid.length - 1)
    return this.disk.names(folder).includes(cid)
  }

  async loseMedia(cid: string): Promise<void> {
    if (this.hasMedia(cid)) await this.disk.files.remove(blobPath(blobs, cid))
  }

  /** Flips a bit of a journal. Returns its name. */
  damageJournal(pick: number, at: number): string | undefined {
    const folders = [dataDir, `${dataDir}/copies/journals`]
    const paths = folders.flatMap((folder) =>
      this.disk
        .names(folder)
        .filter((name) => name.endsWith('.journal'))
        .map((name) => `${folder}/${name}`),
    )
    const path = paths[pick % Math.max(1, paths.length)]
    if (!path) return undefined
    const content = this.disk.content(path)
    // The rest is reserved space.
    const used = content.findLastIndex((byte) => byte !== 0) + 1
    content.set(flipped(content.subarray(0, used), at))
    return path
  }

  /** Flips a bit of the database file. */
  damagePage(at: number): void {
    const path = `${dataDir}/pds.sqlite`
    const content = this.disk.content(path)
    content.set(flipped(content, at))
  }

  #headOf(store: Database): State {
    return this.#around.history.stateOf(tokensOf(store))
  }

  #watch(store: Database): void {
    const copyTo = store.copyTo.bind(store)
    store.copyTo = (file) => {
      this.onCopyTo()
      return copyTo(file)
    }
  }

  #filesOf(process: Pick<Process, 'isAlive'>): Files {
    const takeFailure = () => {
      const { failingSync } = this
      this.failingSync = undefined
      return failingSync
    }
    return filesOf(process, this.disk.files, takeFailure)
  }
}

function tokensOf(store: Database): string[] {
  const rows = store.all<{ name: string }>('SELECT name FROM secrets ORDER BY name')
  return rows.flatMap(({ name }) => name.match(tokenPattern)?.[0].slice(1, -1) ?? [])
}

/** An account that media belong to. It is being imported, so that no check expects a repository. */
function addAccount(tx: Writer): void {
  const did = 'did:web:model.example'
  tx.run('INSERT INTO actors (id, did) VALUES (1, ?)', [did])
  tx.run(
    `INSERT INTO accounts (id, did, handle, is_minted, created_at, signing_key, signing_key_did)
     VALUES (1, ?, 'model.example', 0, '2030-01-01T00:00:00Z', x'00', 'did:key:z')`,
    [did],
  )
  tx.run('INSERT INTO imports (did, phase) VALUES (?, 0)', [did])
}
