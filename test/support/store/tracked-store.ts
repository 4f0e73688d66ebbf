/** A store on a faulty disk, with a record of the acknowledged items. */
import { expect } from 'vitest'
import { makeBackup } from '../../../server/operation/replicas/local/backups.ts'
import type { Backup } from '../../../server/operation/replicas/local/list.ts'
import { Database, type Schema, type Writer } from '../../../server/store/database.ts'
import { StoreDamaged } from '../../../server/store/files/store-errors.ts'
import type { FaultyDisk } from './faulty-disk.ts'
import { schemaOf } from './schema-of.ts'

export const directory = '/data'
/** Space for three items, so that tests reserve more several times. */
const reserveBytes = 4096

const tables = `
  CREATE TABLE item (id INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;
  CREATE TABLE copy (id INTEGER PRIMARY KEY REFERENCES item) STRICT;
  CREATE TABLE total (items INTEGER NOT NULL) STRICT;
  INSERT INTO total VALUES (0)`
export const items = schemaOf(tables)
/** The next version. */
export const notes = schemaOf(tables, 'ALTER TABLE item ADD COLUMN note TEXT')

export class TrackedStore {
  readonly disk: FaultyDisk
  /** Items whose transaction resolved, and items that were tried at all. */
  readonly acknowledged = new Set<number>()
  readonly attempted = new Set<number>()
  /** Errors that no caller received. */
  readonly faults: unknown[] = []
  readonly #blob: Uint8Array
  #db: Database | undefined
  #minute = 0

  /** @param bytes zeros in each item; an item larger than a sector can be torn */
  constructor(disk: FaultyDisk, bytes = 700) {
    this.disk = disk
    this.#blob = new Uint8Array(bytes)
  }

  get db(): Database {
    if (this.#db === undefined) throw new Error('The store is not open')
    return this.#db
  }

  get isOpen(): boolean {
    return this.#db !== undefined
  }

  /** Whether everything visible is on disk. */
  async isSettled(): Promise<boolean> {
    if (!this.isOpen) return false
    return this.db.settled().then(
      () => true,
      () => false,
    )
  }

  now = () => new Date(Date.UTC(2026, 0, 1, 0, this.#minute++))

  async open(schema: Schema = items): Promise<void> {
    this.#db = await Database.open({
      directory,
      schema,
      now: this.now,
      files: this.disk.files,
      reserveBytes,
      onFault: (error) => this.faults.push(error),
    })
  }

  /** Opens the store, with one retry. */
  async tryToOpen(schema?: Schema): Promise<void> {
    for (let attempt = 0; attempt < 2 && !this.isOpen; attempt++) {
      await this.open(schema).catch((error) => this.#expectPlain(error))
    }
  }

  /** Adds items, each in a transaction of its own, all at once. */
  async add(...ids: number[]): Promise<void> {
    await Promise.all(
      ids.map(async (id) => {
        this.attempted.add(id)
        await this.#db
          ?.transact((tx) => this.#insert(tx, id))
          .then(() => this.acknowledged.add(id))
          .catch((error) => this.#expectPlain(error))
      }),
    )
  }

  async checkpoint(): Promise<void> {
    await this.#db?.checkpoint().catch((error) => this.#expectPlain(error))
  }

  /** Makes a backup; undefined if the disk fails. */
  async backup(): Promise<Backup | undefined> {
    const { files } = this.disk
    if (!this.isOpen) return undefined
    return makeBackup({ dataDir: directory, now: this.now, store: this.db, files }).catch(
      (error: unknown) => {
        this.#expectPlain(error)
        return undefined
      },
    )
  }

  async close(): Promise<void> {
    await this.#db?.close().catch(() => {})
    this.#db = undefined
  }

  /** Ends the process without a close. */
  async kill(): Promise<void> {
    this.disk.kill()
    await this.close()
    this.disk.restart()
  }

  /** Returns the visible ids and checks that no transaction is there in part. */
  ids(): number[] {
    const ids = this.db.all<{ id: number }>('SELECT id FROM item ORDER BY id').map(({ id }) => id)
    expect(this.db.all('SELECT id FROM copy ORDER BY id')).toEqual(ids.map((id) => ({ id })))
    expect(this.db.get('SELECT items FROM total')).toEqual({ items: ids.length })
    expect(this.db.get('PRAGMA integrity_check')).toEqual({ integrity_check: 'ok' })
    return ids
  }

  /** Three statements that belong together. */
  #insert(tx: Writer, id: number): void {
    tx.run('INSERT INTO item (id, data) VALUES (?, ?)', [id, this.#blob])
    tx.run('INSERT INTO copy (id) VALUES (?)', [id])
    tx.run('UPDATE total SET items = items + 1')
  }

  /** A failing disk is reported as such, never as damage. */
  #expectPlain(error: unknown): void {
    if (!this.disk.off) expect(error).not.toBeInstanceOf(StoreDamaged)
  }
}
