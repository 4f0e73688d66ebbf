/** Column `stream_state` of `accounts`: whether the event stream reports an account. */

import { isNotBeingDeleted } from '../database/being-deleted.ts'
import type { Reader, Writer } from '../database.ts'

export const streamStates = {
  /** Still unreported: an imported account before its activation, or a new one before the directory has it. */
  unannounced: 0,
  /** Its changes are reported as they happen. */
  live: 1,
  /** It was reported, and is again once the directory that is configured now has its identity. */
  held: 2,
} as const

export type StreamState = (typeof streamStates)[keyof typeof streamStates]

/** Whether the event stream reports an account; false if it does not exist. */
export function isLive(db: Reader, did: string): boolean {
  const row = db.get<{ state: StreamState }>('SELECT stream_state AS state FROM accounts WHERE did = ?', [
    did,
  ])
  return row?.state === streamStates.live
}

/** SQL condition: whether the identity of the account `a` is to be published before anything is reported. */
export const isUnpublished = `(a.is_minted = 1 AND a.stream_state <> ${streamStates.live})`

/** Returns the accounts that are reported once they are published. */
export function unpublished(db: Reader): string[] {
  const rows = db.all<{ did: string }>(
    `SELECT a.did FROM accounts a WHERE ${isUnpublished} AND ${isNotBeingDeleted} ORDER BY a.id`,
  )
  return rows.map(({ did }) => did)
}

/** Holds back the events of all accounts that were created here and that no directory has. */
export function holdUnpublished(tx: Writer): void {
  tx.run(
    `UPDATE accounts SET stream_state = ${streamStates.held}
     WHERE is_minted = 1 AND plc_submitted_at IS NULL AND stream_state = ${streamStates.live}`,
  )
}

export function setLive(tx: Writer, did: string): void {
  tx.run(`UPDATE accounts SET stream_state = ${streamStates.live} WHERE did = ?`, [did])
}
