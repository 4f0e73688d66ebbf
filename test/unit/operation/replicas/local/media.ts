/** Data with media on a simulated disk. */
import { createHash } from 'node:crypto'
import { cidForRawHash } from '@atproto/lex-data'
import { expect } from 'vitest'
import { Database } from '../../../../../server/store/database.ts'
import { isIntact, writeBlob } from '../../../../../server/store/files/blob-files.ts'
import { blobPath } from '../../../../../server/store/files/layout.ts'
import { cidBytes, cidText } from '../../../../../server/util/cid.ts'
import type { FaultyDisk } from '../../../../support/store/faulty-disk.ts'
import { schemaOf } from '../../../../support/store/schema-of.ts'

export const dataDir = '/data'
/** The folder of the media, and that of their backups. */
export const folder = '/data/blobs'
export const pool = '/data/backups/blobs'
export const schema = schemaOf(`
  CREATE TABLE blobs (cid BLOB NOT NULL) STRICT;
  CREATE TABLE damaged_blobs (cid BLOB PRIMARY KEY, found_at INTEGER NOT NULL) STRICT`)

const contents = ['one', 'two', 'three'].map((text) => Buffer.from(text.repeat(300)))
export const [one = '', two = '', three = ''] = contents.map((content) =>
  cidForRawHash(createHash('sha256').update(content).digest()).toString(),
)
const contentOf = new Map([one, two, three].map((cid, i) => [cid, contents[i] ?? Buffer.alloc(0)]))

export async function* chunksOf(cid: string) {
  yield contentOf.get(cid) ?? Buffer.alloc(0)
}

export const at = (minute: number) => new Date(Date.UTC(2031, 0, 1) + minute * 60_000)

export const open = ({ files }: FaultyDisk) =>
  Database.open({ directory: dataDir, schema, now: () => at(0), files })

const cidsIn = (db: Database) =>
  db
    .all<{ cid: Uint8Array }>('SELECT cid FROM blobs WHERE cid NOT IN (SELECT cid FROM damaged_blobs)')
    .map(({ cid }) => cidText(cid))

/** Sets the media of open data. The file comes before the row and goes after it. */
export async function setMediaOf(
  db: Database,
  { files }: FaultyDisk,
  cids: readonly string[],
): Promise<void> {
  for (const cid of cids) {
    await writeBlob(files, folder, cid, chunksOf(cid))
    await files.syncDir(`${folder}/${cid.slice(-2)}`)
  }
  const before = cidsIn(db)
  await db.transact((tx) => {
    tx.run('DELETE FROM blobs')
    for (const cid of cids) tx.run('INSERT INTO blobs VALUES (?)', [cidBytes(cid)])
  })
  for (const cid of before) if (!cids.includes(cid)) await files.remove(blobPath(folder, cid))
}

/** Opens the data, sets their media, and closes them. */
export async function setMedia(disk: FaultyDisk, cids: readonly string[]): Promise<void> {
  const db = await open(disk)
  await setMediaOf(db, disk, cids)
  await db.close()
}

/** Opens the data and returns their media, each of which must have its file unless it is marked as missing. */
export async function mediaOf(disk: FaultyDisk): Promise<string[]> {
  const db = await open(disk)
  const cids = cidsIn(db)
  await db.close()
  for (const cid of cids) expect(await isIntact(disk.files, blobPath(folder, cid), cid), cid).toBe(true)
  return cids.toSorted()
}

/** Returns the media that the backups have. */
export function kept(disk: FaultyDisk): string[] {
  return [one, two, three].filter((cid) => disk.names(`${pool}/${cid.slice(-2)}`).includes(cid)).toSorted()
}
