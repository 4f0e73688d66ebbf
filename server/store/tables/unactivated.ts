/**
 * Columns `activate_by` and `kept` of `accounts`: accounts that were imported and have never been activated here. They are deleted
 * at a date, unless they are being moved, or the document of their DID names this server or their key.
 */
import type { DidString } from '@atproto/syntax'
import type { DidKey } from '../../util/keys.ts'
import type { Reader, Writer } from '../database.ts'

/** Why an account outlived its date: its document names this server or its key, or is unreadable. */
export type KeptReason = 'named' | 'unreadable'

/** SQL condition: whether the account `a` is being moved. */
export const hasOpenMove = `EXISTS (SELECT 1 FROM moves m WHERE m.account = a.id AND m.ended_at IS NULL)`

const isDueSql = `a.activate_by IS NOT NULL AND a.activate_by <= ? AND NOT ${hasOpenMove}`

export interface Unactivated {
  readonly did: DidString
  readonly email: string | null
  readonly signingKeyDid: DidKey
}

/** Returns the accounts whose date has come, the earliest first. */
export function due(db: Reader, now: string, limit: number): Unactivated[] {
  return db.all<Unactivated>(
    `SELECT a.did, a.email, a.signing_key_did AS signingKeyDid FROM accounts a
     WHERE ${isDueSql} ORDER BY a.activate_by, a.id LIMIT ?`,
    [now, limit],
  )
}

export function isDue(db: Reader, did: string, now: string): boolean {
  return db.get(`SELECT 1 FROM accounts a WHERE a.did = ? AND ${isDueSql}`, [did, now]) !== undefined
}

/** Sets a later date, at which the document is read again. */
export function keep(tx: Writer, did: string, reason: KeptReason, until: string): void {
  tx.run('UPDATE accounts SET activate_by = ?, kept = ? WHERE did = ?', [until, reason, did])
}

/** Begins a new period, if the account has a date: its holder has just changed its identity. */
export function extend(tx: Writer, did: string, until: string): void {
  tx.run('UPDATE accounts SET activate_by = ?, kept = NULL WHERE did = ? AND activate_by IS NOT NULL', [
    until,
    did,
  ])
}

/** Removes the date: only the holder or an administrator deletes the account. */
export function keepForGood(tx: Writer, did: string): void {
  tx.run('UPDATE accounts SET activate_by = NULL, kept = NULL WHERE did = ?', [did])
}

export function isBeingMoved(db: Reader, did: string): boolean {
  return db.get(`SELECT 1 FROM accounts a WHERE a.did = ? AND ${hasOpenMove}`, [did]) !== undefined
}
