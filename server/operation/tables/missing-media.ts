/** Table `missing_media`: files that a move could not copy. They stay listed after the move has ended. */
import type { Reader, Writer } from '../../store/database.ts'
import { actorId } from '../../store/tables/actors.ts'

/**
 * Why a file could not be copied: the old server does not have it or has taken it down, it is larger than one of the servers allows,
 * or the old server sends bytes that do not have its CID.
 */
export type MissingReason = 'notFound' | 'takenDown' | 'tooLarge' | 'wrongBytes'

export interface MissingFile {
  readonly cid: string
  /** URI of a record that refers to it, if the new server named one. */
  readonly record: string | null
  readonly reason: MissingReason
}

/** Replaces the list of a move. Files that its owner accepted stay accepted. Returns how many are not. */
export function replace(tx: Writer, did: string, files: readonly MissingFile[]): number {
  const accepted = new Set(
    tx
      .all<{ cid: string }>(`SELECT cid FROM missing_media WHERE account = ${actorId} AND is_accepted = 1`, [
        did,
      ])
      .map(({ cid }) => cid),
  )
  tx.run(`DELETE FROM missing_media WHERE account = ${actorId}`, [did])
  for (const { cid, record, reason } of files) {
    tx.run(
      `INSERT OR IGNORE INTO missing_media (account, cid, record, reason, is_accepted)
       SELECT account, ?, ?, ?, ? FROM moves WHERE account = ${actorId}`,
      [cid, record, reason, Number(accepted.has(cid)), did],
    )
  }
  return files.filter(({ cid }) => !accepted.has(cid)).length
}

/** Notes that the owner agreed to move without the listed files. */
export function accept(tx: Writer, did: string): void {
  tx.run(`UPDATE missing_media SET is_accepted = 1 WHERE account = ${actorId}`, [did])
}

export function list(db: Reader, did: string, limit: number): MissingFile[] {
  return db.all<MissingFile>(
    `SELECT cid, record, reason FROM missing_media WHERE account = ${actorId} ORDER BY cid LIMIT ?`,
    [did, limit],
  )
}

export function count(db: Reader, did: string): number {
  const row = db.get<{ count: number }>(
    `SELECT count(*) AS count FROM missing_media WHERE account = ${actorId}`,
    [did],
  )
  return row?.count ?? 0
}
