/**
 * Table `omitted_records`: records of a repository that an import had to leave out of the index, because responses cannot contain
 * them. The tree has them, so their blocks are kept for everyone who reads the repository as blocks. A key is in this table or in
 * `records`, never in both.
 */
import type { NsidString, RecordKeyString } from '@atproto/syntax'
import type { Reader, Writer } from '../../store/database.ts'
import { actorId } from '../../store/tables/actors.ts'
import { cidBytes, cidText } from '../../util/cid.ts'
import * as records from './records.ts'
import type { DatedBlock } from './repos.ts'

/** Why a record is left out: it has an integer of more than 53 bits, or its key is not of today's syntax. */
export type OmissionReason = 'integer' | 'key'

export interface OmittedRecord extends Omit<records.RecordName, 'did'> {
  /** It has no row in the index. */
  readonly id: undefined
  readonly cid: string
}

interface StagedOmission {
  /** `collection/rkey`, as in the tree. */
  readonly key: string
  readonly cid: Uint8Array
  /** DAG-CBOR. */
  readonly bytes: Uint8Array
  readonly reason: OmissionReason
  /** Revision of the commit that has it. */
  readonly rev: string
}

/** Stores a record. @param actor whose record it is, or the one of the import that is being staged */
export function insert(tx: Writer, actor: number, { key, cid, bytes, reason, rev }: StagedOmission): void {
  tx.run('INSERT INTO omitted_records (actor, key, cid, bytes, reason, rev) VALUES (?, ?, ?, ?, ?, ?)', [
    ...[actor, key, cid, bytes, reason, rev],
  ])
}

/** Returns the omitted record with a key, if there is one. */
export function find(
  db: Reader,
  did: string,
  collection: NsidString,
  rkey: RecordKeyString,
): OmittedRecord | undefined {
  const found = findDated(db, did, `${collection}/${rkey}`)
  return found && { id: undefined, collection, rkey, cid: found.cid }
}

type DatedRecord = DatedBlock & { readonly cid: string }

function findDated(db: Reader, did: string, key: string): DatedRecord | undefined {
  const row = db.get<DatedBlock & { readonly cid: Uint8Array }>(
    `SELECT cid, bytes, rev FROM omitted_records WHERE actor = ${actorId} AND key = ?`,
    [did, key],
  )
  return row && { ...row, cid: cidText(row.cid) }
}

/** Returns the block of a record, in the index or not, and the revision that wrote it. */
export function findInTree(
  db: Reader,
  did: string,
  { collection, rkey }: { readonly collection: string; readonly rkey: string },
): DatedRecord | undefined {
  return records.findDated(db, did, collection, rkey) ?? findDated(db, did, `${collection}/${rkey}`)
}

/** Returns the content of an omitted record by its CID. */
export function findBlock(db: Reader, did: string, cid: string): Uint8Array | undefined {
  return db.get<{ bytes: Uint8Array }>(
    `SELECT bytes FROM omitted_records WHERE actor = ${actorId} AND cid = ? LIMIT 1`,
    [did, cidBytes(cid)],
  )?.bytes
}

export function count(db: Reader, did: string): number {
  const sql = `SELECT count(*) AS count FROM omitted_records WHERE actor = ${actorId}`
  return db.get<{ count: number }>(sql, [did])?.count ?? 0
}

/** Counts distinct blocks. */
export function countBlocks(db: Reader, did: string): number {
  const row = db.get<{ count: number }>(
    `SELECT count(DISTINCT cid) AS count FROM omitted_records WHERE actor = ${actorId}`,
    [did],
  )
  return row?.count ?? 0
}

/** Returns the first omitted records by key. */
export function list(
  db: Reader,
  did: string,
  limit: number,
): { readonly key: string; readonly cid: string; readonly reason: OmissionReason }[] {
  return db
    .all<{ key: string; cid: Uint8Array; reason: OmissionReason }>(
      `SELECT key, cid, reason FROM omitted_records WHERE actor = ${actorId} ORDER BY key LIMIT ?`,
      [did, limit],
    )
    .map((row) => ({ ...row, cid: cidText(row.cid) }))
}

/** Deletes an omitted record, because a write replaces or deletes it. */
export function remove(
  tx: Writer,
  did: string,
  { collection, rkey }: Pick<OmittedRecord, 'collection' | 'rkey'>,
): void {
  tx.run(`DELETE FROM omitted_records WHERE actor = ${actorId} AND key = ?`, [did, `${collection}/${rkey}`])
}

const some = '(actor, key) IN (SELECT actor, key FROM omitted_records WHERE actor = ? ORDER BY key LIMIT ?)'

/** Deletes some omitted records of an actor. Returns how many. */
export function removeSome(tx: Writer, actor: number | null, limit: number): number {
  return tx.run(`DELETE FROM omitted_records WHERE ${some}`, [actor, limit])
}

/** Gives some omitted records of an actor to another actor. Returns how many. */
export function moveSome(tx: Writer, from: number | null, to: number | null, limit: number): number {
  return tx.run(`UPDATE omitted_records SET actor = ? WHERE ${some}`, [to, from, limit])
}
