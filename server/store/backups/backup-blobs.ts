/**
 * The blobs of the backups, in `backups/blobs/`. All backups share them: each blob is there once, as a hard link of the one
 * that the server serves. A blob is removed with the last backup that contains it.
 */
import { basename, dirname, join } from 'node:path'
import { cidBytes, cidText } from '../../util/cid.ts'
import { blobsIn, exists, isIntact, linkBlob, syncBlobDirs } from '../files/blob-files.ts'
import type { Files } from '../files/files.ts'
import { blobPath, blobsName } from '../files/layout.ts'
import type { Reader } from '../pages/reader.ts'
import type { Sqlite } from '../pages/sqlite.ts'

/** Links the blobs of a data directory to its backups. Returns missing and damaged ones. */
export async function keepBlobs(
  files: Files,
  dir: string,
  folder: string,
  cids: readonly string[],
): Promise<ReadonlySet<string>> {
  const missing = new Set<string>()
  for (const cid of cids) {
    if (await exists(files, blobPath(folder, cid))) continue
    const path = blobPath(join(dir, blobsName), cid)
    const isKept = (await isIntact(files, path, cid)) && (await linkBlob(files, path, folder, cid))
    if (!isKept) missing.add(cid)
  }
  // All of them: a process that was killed may have added some of them.
  await syncBlobDirs(
    files,
    folder,
    cids.filter((cid) => !missing.has(cid)),
  )
  return missing
}

/**
 * Removes the blobs that no backup contains. The caller holds the lock of the folder.
 * @param lists of the blobs of each backup, one per line; undefined for one that is lost or damaged
 */
export async function removeUnusedBlobs(
  files: Files,
  pool: string,
  lists: AsyncIterable<Uint8Array | undefined>,
): Promise<void> {
  const used = new Set<string>()
  for await (const list of lists) {
    // If the list of a backup is missing, its blobs are unknown: all stay.
    if (!list) return
    for (const cid of Buffer.from(list).toString('latin1').split('\n')) used.add(cid)
  }
  for await (const cids of blobsIn(files, pool)) {
    for (const cid of cids) if (!used.has(cid)) await files.remove(blobPath(pool, cid))
  }
}

/** Returns the CIDs of the blobs in a database except those marked as damaged, which backups cannot contain. */
export function blobCids(sqlite: Reader): string[] {
  // A database may have no tables yet.
  if (!sqlite.get("SELECT 1 FROM sqlite_schema WHERE name = 'blobs'")) return []
  const rows = sqlite.all<{ cid: Uint8Array }>(
    'SELECT DISTINCT cid FROM blobs WHERE cid NOT IN (SELECT cid FROM damaged_blobs) ORDER BY cid',
  )
  return rows.map(({ cid }) => cidText(cid))
}

/** Blobs are read in so many groups, by the first byte of their hash. */
export const blobGroups = 256
/** Bytes of a CID before its hash. */
const cidPrefix = [0x01, 0x55, 0x12, 0x20]

/** Returns the CIDs of the blobs of a group that are not marked as damaged, as one value: `cidsOfGroup` decodes it. */
export function readBlobGroup(store: Reader, group: number): string {
  const first = group === 0 ? new Uint8Array() : Uint8Array.from([...cidPrefix, group])
  const end = Uint8Array.from(group === blobGroups - 1 ? [0xff] : [...cidPrefix, group + 1])
  const row = store.get<{ cids: string | null }>(
    `SELECT group_concat(hex(cid)) AS cids FROM (
       SELECT DISTINCT cid FROM blobs WHERE cid >= ? AND cid < ? AND cid NOT IN (SELECT cid FROM damaged_blobs) ORDER BY cid
     )`,
    [first, end],
  )
  return row?.cids ?? ''
}

export function cidsOfGroup(rows: string): string[] {
  return rows === '' ? [] : rows.split(',').map((hex) => cidText(Buffer.from(hex, 'hex')))
}

/** Whether an account has a blob that is not marked as damaged. */
export function hasBlob(store: Reader, cid: string): boolean {
  const sql = 'SELECT 1 FROM blobs WHERE cid = ?1 AND cid NOT IN (SELECT cid FROM damaged_blobs)'
  return store.get(sql, [cidBytes(cid)]) !== undefined
}

/** Forgets blobs, which then count as missing: their owners can upload them again. */
export function forgetBlobs(sqlite: Sqlite, cids: readonly string[]): void {
  for (const cid of cids) sqlite.execute('DELETE FROM blobs WHERE cid = ?', [cidBytes(cid)])
}

/** Marks blobs as missing. */
export function markBlobs(sqlite: Sqlite, cids: readonly string[], at: Date): void {
  const sql = 'INSERT INTO damaged_blobs (cid, found_at) VALUES (?, ?) ON CONFLICT DO NOTHING'
  for (const cid of cids) sqlite.execute(sql, [cidBytes(cid), at.getTime()])
}

/** The folder of backups has the database of each in a folder of `bases`, beside their blobs. */
const basesName = 'bases'

/** Returns the folders that may have the blobs of a backup file: beside it, and those of all backups if it is one of them. */
export function blobFoldersOf(file: string): string[] {
  const bases = dirname(dirname(file))
  const shared = basename(bases) === basesName ? [join(dirname(bases), blobsName)] : []
  return [join(dirname(file), blobsName), ...shared]
}
