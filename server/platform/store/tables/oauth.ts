/** Tables `oauth_requests`, `oauth_grants` and `oauth_assertions`. */
import type { DidString } from '@atproto/syntax'
import type { DatetimeString } from '../../util/time.ts'
import type { Reader, Writer } from '../database.ts'

/** A pushed authorization request (RFC 9126). */
export interface AuthorizationRequest {
  /** The end of its request_uri. */
  readonly id: string
  readonly clientId: string
  /** Thumbprint of the key that the client authenticated with; null: a public client. */
  readonly clientKey: string | null
  /** Thumbprint of the key of its DPoP proofs. */
  readonly dpopKey: string
  /** JSON. */
  readonly parameters: string
  readonly expiresAt: DatetimeString
  /** Two digits, once it waits for an approval in the app window. */
  readonly number: number | null
  /** The account that allowed it. */
  readonly did: DidString | null
  readonly deniedAt: DatetimeString | null
}

/** What an app may do with an account: the session of the same id, and the client to which it belongs. */
export interface Grant {
  readonly sessionId: string
  readonly clientId: string
  readonly clientKey: string | null
  /** As granted; permission sets by name. */
  readonly scope: string
}

const requestColumns = `id, client_id AS clientId, client_key AS clientKey, dpop_key AS dpopKey, parameters,
  expires_at AS expiresAt, number, did, denied_at AS deniedAt`
const grantColumns = 'session_id AS sessionId, client_id AS clientId, client_key AS clientKey, scope'

export function insertRequest(
  tx: Writer,
  request: Omit<AuthorizationRequest, 'number' | 'did' | 'deniedAt'>,
): void {
  tx.run(
    `INSERT INTO oauth_requests (id, client_id, client_key, dpop_key, parameters, expires_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
    [request.id, request.clientId, request.clientKey, request.dpopKey, request.parameters, request.expiresAt],
  )
}

/** Returns a request that no client has a code for. */
export function findRequest(db: Reader, id: string): AuthorizationRequest | undefined {
  return db.get<AuthorizationRequest>(
    `SELECT ${requestColumns} FROM oauth_requests WHERE id = ? AND code_hash IS NULL`,
    [id],
  )
}

export function findRequestByCode(db: Reader, codeHash: Uint8Array): AuthorizationRequest | undefined {
  return db.get<AuthorizationRequest>(`SELECT ${requestColumns} FROM oauth_requests WHERE code_hash = ?`, [
    codeHash,
  ])
}

/** Returns the undecided requests that wait for an approval in the app window, oldest first. */
export function waitingRequests(db: Reader, now: string): AuthorizationRequest[] {
  return db.all<AuthorizationRequest>(
    `SELECT ${requestColumns} FROM oauth_requests
     WHERE number IS NOT NULL AND did IS NULL AND denied_at IS NULL AND expires_at > ?
     ORDER BY expires_at, id LIMIT 50`,
    [now],
  )
}

export function countRequests(db: Reader): number {
  return db.get<{ count: number }>('SELECT count(*) AS count FROM oauth_requests')?.count ?? 0
}

/** Gives a request the number that the browser and the app window show. */
/** Moves the expiry of a request that is not decided forward. */
export function extendRequest(tx: Writer, id: string, expiresAt: string): void {
  tx.run('UPDATE oauth_requests SET expires_at = max(expires_at, ?) WHERE id = ? AND code_hash IS NULL', [
    expiresAt,
    id,
  ])
}

export function setNumber(tx: Writer, id: string, number: number): void {
  tx.run('UPDATE oauth_requests SET number = ? WHERE id = ?', [number, id])
}

export function allowRequest(tx: Writer, id: string, did: string): void {
  tx.run('UPDATE oauth_requests SET did = ? WHERE id = ?', [did, id])
}

export function denyRequest(tx: Writer, id: string, at: string): void {
  tx.run('UPDATE oauth_requests SET denied_at = ? WHERE id = ?', [at, id])
}

/** Notes the code that the client gets. @param expiresAt until when it can be exchanged */
export function setCode(tx: Writer, id: string, codeHash: Uint8Array, expiresAt: string): void {
  tx.run('UPDATE oauth_requests SET code_hash = ?, expires_at = ? WHERE id = ?', [codeHash, expiresAt, id])
}

export function removeRequest(tx: Writer, id: string): void {
  tx.run('DELETE FROM oauth_requests WHERE id = ?', [id])
}

export function insertGrant(tx: Writer, grant: Grant & { readonly codeHash: Uint8Array }): void {
  tx.run(
    'INSERT INTO oauth_grants (session_id, client_id, client_key, scope, code_hash) VALUES (?, ?, ?, ?, ?)',
    [grant.sessionId, grant.clientId, grant.clientKey, grant.scope, grant.codeHash],
  )
}

export function findGrant(db: Reader, sessionId: string): Grant | undefined {
  return db.get<Grant>(`SELECT ${grantColumns} FROM oauth_grants WHERE session_id = ?`, [sessionId])
}

export function findGrantByCode(db: Reader, codeHash: Uint8Array): Grant | undefined {
  return db.get<Grant>(`SELECT ${grantColumns} FROM oauth_grants WHERE code_hash = ?`, [codeHash])
}

/** Returns the grants of an account. */
export function grantsOfAccount(db: Reader, did: string): Grant[] {
  return db.all<Grant>(
    `SELECT ${grantColumns} FROM oauth_grants WHERE session_id IN (SELECT id FROM sessions WHERE did = ?)`,
    [did],
  )
}

/** Notes that a client assertion was used. @returns false if it had been used before */
export function useAssertion(tx: Writer, hash: Uint8Array, expiresAt: string): boolean {
  if (tx.get('SELECT 1 AS found FROM oauth_assertions WHERE hash = ?', [hash])) return false
  tx.run('INSERT INTO oauth_assertions (hash, expires_at) VALUES (?, ?)', [hash, expiresAt])
  return true
}

/** Deletes expired requests and assertions. */
export function removeExpired(tx: Writer, now: string): void {
  tx.run('DELETE FROM oauth_requests WHERE expires_at <= ?', [now])
  tx.run('DELETE FROM oauth_assertions WHERE expires_at <= ?', [now])
}
