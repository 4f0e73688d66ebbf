/** Table `accounts`: the actors that live here. */
import type { DidString, HandleString } from '@atproto/syntax'
import type { DidKey } from '../../util/keys.ts'
import { type DatetimeString, iso } from '../../util/time.ts'
import { isNotBeingDeleted } from '../database/being-deleted.ts'
import type { Reader, Writer } from '../database.ts'
import * as actors from './actors.ts'
import { type StreamState, streamStates } from './stream-state.ts'
import { hasOpenMove, type KeptReason } from './unactivated.ts'

export interface Account {
  readonly did: DidString
  readonly handle: HandleString
  readonly email: string | null
  readonly emailConfirmedAt: string | null
  /** 1 when signing in with the main password needs a code sent by mail. */
  readonly emailAuthFactor: number
  readonly passwordHash: string | null
  readonly isOwner: number
  /** 1 when the DID was made here, 0 when it was imported. */
  readonly isMinted: number
  readonly createdAt: DatetimeString
  readonly deactivatedAt: string | null
  /** When the account is deleted because its holder asked for it. */
  readonly deleteAfter: DatetimeString | null
  /** When an imported account is deleted unless it is activated; null: never. See `unactivated.ts`. */
  readonly activateBy: DatetimeString | null
  /** Why it was not deleted then. */
  readonly kept: KeptReason | null
  readonly streamState: StreamState
  readonly takenDownAt: string | null
  readonly takedownRef: string | null
  readonly suspendedAt: string | null
  readonly suspensionRef: string | null
  readonly inviteCode: string | null
  readonly signingKey: Uint8Array
  readonly signingKeyDid: DidKey
  /** JSON: the genesis operation of a DID that was made here, or the operation that came with an imported one. */
  readonly plcOperation: string | null
  readonly plcSubmittedAt: string | null
  /** The handle as last published, or as it was when the owner's changes made an update impossible; null: not published. */
  readonly plcHandle: HandleString | null
  /** The endpoint of this server, likewise. */
  readonly plcEndpoint: string | null
  /** 1 when the account gets no further earned invite codes. */
  readonly invitesDisabled: number
  readonly inviteNote: string | null
}

const accountColumns = `
  a.did, a.handle, a.email, a.email_confirmed_at AS emailConfirmedAt, a.email_auth_factor AS emailAuthFactor,
  a.password_hash AS passwordHash, a.is_owner AS isOwner, a.is_minted AS isMinted, a.created_at AS createdAt,
  a.deactivated_at AS deactivatedAt, a.delete_after AS deleteAfter, a.activate_by AS activateBy,
  a.kept, a.stream_state AS streamState, a.taken_down_at AS takenDownAt,
  a.takedown_ref AS takedownRef, a.suspended_at AS suspendedAt, a.suspension_ref AS suspensionRef,
  a.invite_code AS inviteCode, a.signing_key AS signingKey, a.signing_key_did AS signingKeyDid,
  a.plc_operation AS plcOperation, a.plc_submitted_at AS plcSubmittedAt, a.plc_handle AS plcHandle,
  a.plc_endpoint AS plcEndpoint, a.invites_disabled AS invitesDisabled, a.invite_note AS inviteNote`

const select = `SELECT ${accountColumns} FROM accounts a`

export function findByDid(db: Reader, did: string): Account | undefined {
  return db.get<Account>(`${select} WHERE a.did = ?`, [did])
}

/** Returns the columns that the status of an account depends on, for each write of a record. */
export function findStatus(
  db: Reader,
  did: string,
): Pick<Account, 'takenDownAt' | 'suspendedAt' | 'deactivatedAt'> | undefined {
  return db.get(
    `SELECT taken_down_at AS takenDownAt, suspended_at AS suspendedAt, deactivated_at AS deactivatedAt
     FROM accounts WHERE did = ?`,
    [did],
  )
}

/** @param handle in lower case */
export function findByHandle(db: Reader, handle: string): Account | undefined {
  return db.get<Account>(`${select} WHERE a.handle = ?`, [handle])
}

/** Returns the account of the server's owner; undefined before the first account. */
export function owner(db: Reader): Account | undefined {
  return db.get<Account>(`${select} WHERE a.is_owner = 1`)
}

/** @param email in lower case */
export function findByEmail(db: Reader, email: string): Account | undefined {
  return db.get<Account>(`${select} WHERE a.email = ?`, [email])
}

/** Returns the given DIDs that have an account here. */
export function hostedAmong(db: Reader, dids: readonly string[]): Set<string> {
  const rows = db.all<{ did: string }>(
    'SELECT did FROM accounts WHERE did IN (SELECT value FROM json_each(?))',
    [JSON.stringify(dids)],
  )
  return new Set(rows.map(({ did }) => did))
}

export function allDids(db: Reader): DidString[] {
  return db
    .all<{ did: DidString }>(`SELECT a.did FROM accounts a WHERE ${isNotBeingDeleted} ORDER BY a.id`)
    .map(({ did }) => did)
}

/** Returns the accounts of people that others can see, the oldest first. */
export function activeDids(db: Reader, limit: number): DidString[] {
  const rows = db.all<{ did: DidString }>(
    `SELECT did FROM accounts
     WHERE deactivated_at IS NULL AND suspended_at IS NULL AND taken_down_at IS NULL AND NOT ${isTemporary}
     ORDER BY id LIMIT ?`,
    [limit],
  )
  return rows.map(({ did }) => did)
}

/** Whether no person has an account: the first one owns the server. */
export function isEmpty(db: Reader): boolean {
  const found = db.get(`SELECT 1 FROM accounts a WHERE ${isNotBeingDeleted} AND NOT ${isTemporary} LIMIT 1`)
  return found === undefined
}

/** Number of the accounts that `page` returns. */
export function count(db: Reader): number {
  return (
    db.get<{ count: number }>(`SELECT count(*) AS count FROM accounts a WHERE ${isNotBeingDeleted}`)?.count ??
    0
  )
}

/** Returns accounts in order of creation, after `after`. */
export function page(
  db: Reader,
  after: { createdAt: string; did: string } | undefined,
  limit: number,
): Account[] {
  const { createdAt, did } = after ?? { createdAt: '', did: '' }
  return db.all<Account>(
    `${select} WHERE (a.created_at, a.did) > (?, ?) AND ${isNotBeingDeleted} ORDER BY a.created_at, a.did LIMIT ?`,
    [createdAt, did, limit],
  )
}

/**
 * Returns the accounts whose handle or email address begins with a text, in any letter case, and the account with that DID, in
 * order of creation.
 * @param text not empty
 */
export function search(
  db: Reader,
  text: string,
  after: { createdAt: string; did: string } | undefined,
  limit: number,
): Account[] {
  const { createdAt, did } = after ?? { createdAt: '', did: '' }
  const start = text.toLowerCase()
  // No character sorts after the last code point.
  const end = `${start}\u{10ffff}`
  return db.all<Account>(
    `${select} WHERE ((a.handle >= ?1 AND a.handle < ?2) OR (a.email >= ?1 AND a.email < ?2) OR a.did = ?3)
       AND (a.created_at, a.did) > (?4, ?5) AND ${isNotBeingDeleted}
     ORDER BY a.created_at, a.did LIMIT ?6`,
    [start, end, text, createdAt, did, limit],
  )
}

/** Returns the accounts whose holders asked for a deletion that is due. One that is being moved stays. */
export function dueForDeletion(db: Reader, now: string): Pick<Account, 'did' | 'email'>[] {
  return db.all(
    `SELECT did, email FROM accounts a WHERE delete_after IS NOT NULL AND delete_after <= ? AND NOT ${hasOpenMove}`,
    [now],
  )
}

/**
 * Returns the accounts whose identity is not published, or published with an old handle or endpoint. The operation of an
 * imported account waits for its activation, and that of a temporary account is never published.
 */
export function withUnpublishedIdentity(db: Reader, endpoint: string): DidString[] {
  const rows = db.all<{ did: DidString }>(
    `SELECT did FROM accounts
     WHERE (plc_operation IS NOT NULL AND plc_submitted_at IS NULL AND (is_minted = 1 OR deactivated_at IS NULL)
         AND NOT ${isTemporary})
        OR (plc_endpoint IS NOT NULL AND (plc_endpoint <> ? OR plc_handle <> handle))`,
    [endpoint],
  )
  return rows.map(({ did }) => did)
}

export type NewAccount = Pick<
  Account,
  | 'did'
  | 'handle'
  | 'email'
  | 'passwordHash'
  | 'createdAt'
  | 'deactivatedAt'
  | 'activateBy'
  | 'streamState'
  | 'inviteCode'
  | 'signingKey'
  | 'signingKeyDid'
  | 'plcOperation'
> & { readonly isOwner: boolean; readonly isMinted: boolean }

export function insert(tx: Writer, account: NewAccount): void {
  tx.run(
    `INSERT INTO accounts (id, did, handle, email, password_hash, is_owner, is_minted, created_at, deactivated_at, activate_by,
       stream_state, invite_code, signing_key, signing_key_did, plc_operation)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      actors.ensure(tx, account.did),
      account.did,
      account.handle,
      account.email,
      account.passwordHash,
      account.isOwner ? 1 : 0,
      account.isMinted ? 1 : 0,
      account.createdAt,
      account.deactivatedAt,
      account.activateBy,
      account.streamState,
      account.inviteCode,
      account.signingKey,
      account.signingKeyDid,
      account.plcOperation,
    ],
  )
}

export function setPassword(tx: Writer, did: string, passwordHash: string): void {
  tx.run('UPDATE accounts SET password_hash = ? WHERE did = ?', [passwordHash, did])
}

export function setHandle(tx: Writer, did: string, handle: string): void {
  tx.run('UPDATE accounts SET handle = ? WHERE did = ?', [handle, did])
}

/** Sets an unconfirmed address, and turns the second factor off. */
export function setEmail(tx: Writer, did: string, email: string): void {
  tx.run('UPDATE accounts SET email = ?, email_confirmed_at = NULL, email_auth_factor = 0 WHERE did = ?', [
    email,
    did,
  ])
}

export function confirmEmail(tx: Writer, did: string, at: string): void {
  tx.run('UPDATE accounts SET email_confirmed_at = ? WHERE did = ?', [at, did])
}

export function setEmailAuthFactor(tx: Writer, did: string, on: boolean): void {
  tx.run('UPDATE accounts SET email_auth_factor = ? WHERE did = ?', [on ? 1 : 0, did])
}

/** Has no effect on a temporary account, which must stay one. */
export function deactivate(tx: Writer, did: string, at: string, deleteAfter: string | null): void {
  tx.run(`UPDATE accounts SET deactivated_at = ?, delete_after = ? WHERE did = ? AND NOT ${isTemporary}`, [
    at,
    deleteAfter,
    did,
  ])
}

/** An account of a check is deleted so long after its creation, if nothing does so earlier. Longer than a check takes. */
const temporarySeconds = 60 * 60

/**
 * SQL condition: an account that a check of this server uses, which is active and has a date of deletion of just that time. The holder of
 * an account has a date set with its deactivation; one that a fault left on an active account must not make it such an account.
 */
export const isTemporary = `(deactivated_at IS NULL AND delete_after IS NOT NULL
  AND delete_after = strftime('%Y-%m-%dT%H:%M:%fZ', created_at, '+${temporarySeconds} seconds'))`

/** Whether an account is of a check; see `isTemporary`. */
export function isOfCheck({ deleteAfter, deactivatedAt, createdAt }: Account): boolean {
  return deactivatedAt === null && deleteAfter === temporaryUntil(createdAt)
}

function temporaryUntil(createdAt: string): string {
  return iso(new Date(Date.parse(createdAt) + temporarySeconds * 1000))
}

/** Makes an active account temporary. Maintenance deletes it from then on, if nothing does so earlier. */
export function setTemporary(tx: Writer, did: string, createdAt: string): void {
  tx.run('UPDATE accounts SET delete_after = ? WHERE did = ?', [temporaryUntil(createdAt), did])
}

export function temporary(db: Reader): DidString[] {
  const rows = db.all<{ did: DidString }>(
    `SELECT a.did FROM accounts a WHERE ${isTemporary} AND ${isNotBeingDeleted} ORDER BY a.id`,
  )
  return rows.map(({ did }) => did)
}

/** Cancels the deletion that the holder asked for. The account stays deactivated. A temporary account keeps its date. */
export function cancelDeletion(tx: Writer, did: string): void {
  tx.run(`UPDATE accounts SET delete_after = NULL WHERE did = ? AND NOT ${isTemporary}`, [did])
}

/** Activates an account, for which nothing is to be deleted any more. The events of an imported one begin. A temporary account stays one. */
export function activate(tx: Writer, did: string): void {
  tx.run(
    `UPDATE accounts SET deactivated_at = NULL, delete_after = NULL, activate_by = NULL, kept = NULL,
       stream_state = CASE is_minted WHEN 0 THEN ${streamStates.live} ELSE stream_state END
     WHERE did = ? AND NOT ${isTemporary}`,
    [did],
  )
}

/** @param at null lifts the takedown */
export function setTakedown(tx: Writer, did: string, at: string | null, ref: string | null): void {
  tx.run('UPDATE accounts SET taken_down_at = ?, takedown_ref = ? WHERE did = ?', [at, ref, did])
}

/** @param at null lifts the suspension */
export function setSuspension(tx: Writer, did: string, at: string | null, ref: string | null): void {
  tx.run('UPDATE accounts SET suspended_at = ?, suspension_ref = ? WHERE did = ?', [at, ref, did])
}

export function setInvites(
  tx: Writer,
  did: string,
  { disabled, note }: { disabled: boolean; note: string | null },
): void {
  tx.run('UPDATE accounts SET invites_disabled = ?, invite_note = ? WHERE did = ?', [
    disabled ? 1 : 0,
    note,
    did,
  ])
}

export function setPlcSubmitted(tx: Writer, did: string, at: string): void {
  tx.run('UPDATE accounts SET plc_submitted_at = ? WHERE did = ?', [at, did])
}

/** Sets the published handle and endpoint; see `Account.plcHandle`. */
export function setPublished(
  tx: Writer,
  did: string,
  { handle, endpoint }: { handle: string; endpoint: string },
): void {
  tx.run('UPDATE accounts SET plc_handle = ?, plc_endpoint = ? WHERE did = ?', [handle, endpoint, did])
}
