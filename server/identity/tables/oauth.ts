/** Tables `oauth_requests`, `oauth_grants` and `oauth_assertions`. */
import type { DidString } from '@atproto/syntax'
import type { Reader, Writer } from '../../store/database.ts'
import type { DatetimeString } from '../../util/time.ts'

/** A pushed authorization request (RFC 9126). */
export interface AuthorizationRequest {
  /** The end of its request_uri. */
  readonly id: string
  /** Hash of the source that pushed it. */
  readonly source: Uint8Array
  /** Hash of the network that contains the source. */
  readonly network: Uint8Array
  readonly clientId: string
  /** Thumbprint of the key that the client authenticated with; null: a public client. */
  readonly clientKey: string | null
  /** Thumbprint of the key of its DPoP proofs. */
  readonly dpopKey: string
  /** The account that the person named in the app, as a normalized identifier. */
  readonly loginHint: string | null
  /** JSON. */
  readonly parameters: string
  readonly createdAt: DatetimeString
  readonly expiresAt: DatetimeString
  /** Its name in the app window, once it waits for an approval there: the window never gets its id. */
  readonly approvalId: string | null
  /** Two digits that the browser shows then. */
  readonly number: number | null
  /** The account that decided it. */
  readonly did: DidString | null
  readonly deniedAt: DatetimeString | null
}

/** The permissions of an app for an account: the session of the same id, and the client to which it belongs. */
export interface Grant {
  readonly sessionId: string
  readonly clientId: string
  readonly clientKey: string | null
  /** The scopes as granted; permission sets by name. */
  readonly scope: string
}

const requestColumns = `id, source, network, client_id AS clientId, client_key AS clientKey, dpop_key AS dpopKey,
  login_hint AS loginHint, parameters, created_at AS createdAt, expires_at AS expiresAt, approval_id AS approvalId, number,
  did, denied_at AS deniedAt`
const grantColumns = 'session_id AS sessionId, client_id AS clientId, client_key AS clientKey, scope'

export function insertRequest(
  tx: Writer,
  request: Omit<AuthorizationRequest, 'approvalId' | 'number' | 'did' | 'deniedAt'>,
): void {
  tx.run(
    `INSERT INTO oauth_requests (id, source, network, client_id, client_key, dpop_key, login_hint, parameters, created_at,
       expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      request.id,
      request.source,
      request.network,
      request.clientId,
      request.clientKey,
      request.dpopKey,
      request.loginHint,
      request.parameters,
      request.createdAt,
      request.expiresAt,
    ],
  )
}

export function findRequest(db: Reader, id: string): AuthorizationRequest | undefined {
  return db.get<AuthorizationRequest>(`SELECT ${requestColumns} FROM oauth_requests WHERE id = ?`, [id])
}

export function findRequestByApproval(db: Reader, approvalId: string): AuthorizationRequest | undefined {
  return db.get<AuthorizationRequest>(`SELECT ${requestColumns} FROM oauth_requests WHERE approval_id = ?`, [
    approvalId,
  ])
}

export function findRequestByCode(db: Reader, codeHash: Uint8Array): AuthorizationRequest | undefined {
  return db.get<AuthorizationRequest>(`SELECT ${requestColumns} FROM oauth_requests WHERE code_hash = ?`, [
    codeHash,
  ])
}

export function isChallengeUsed(db: Reader, codeChallenge: string): boolean {
  const found = db.get("SELECT 1 AS found FROM oauth_requests WHERE parameters ->> '$.codeChallenge' = ?", [
    codeChallenge,
  ])
  return found !== undefined
}

/**
 * Returns the undecided requests that wait for an approval in the app window of an account: first those that a browser of this
 * computer shows, then the first ones of each network, each by the time since when they wait. A flood from outside hides none.
 * @param identifiers of the account
 * @param isOwnerHere whether requests without a login hint are for it
 */
export function waitingRequests(
  db: Reader,
  now: string,
  identifiers: readonly string[],
  isOwnerHere: boolean,
): AuthorizationRequest[] {
  return db.all<AuthorizationRequest>(
    `SELECT ${requestColumns} FROM (
       SELECT *, rowid AS place,
         row_number() OVER (PARTITION BY waits_here, network ORDER BY waiting_at, rowid) AS turn
       FROM oauth_requests
       WHERE number IS NOT NULL AND did IS NULL AND expires_at > ?
         AND (login_hint IN (SELECT value FROM json_each(?)) OR (login_hint IS NULL AND ?)))
     ORDER BY waits_here DESC, turn, waiting_at, place LIMIT 50`,
    [now, JSON.stringify(identifiers), Number(isOwnerHere)],
  )
}

/** Returns the number of undecided requests. */
export function countRequests(db: Reader): number {
  return (
    db.get<{ count: number }>('SELECT count(*) AS count FROM oauth_requests WHERE did IS NULL')?.count ?? 0
  )
}

/** Deletes the oldest undecided requests of a source, beyond a number of newest ones. */
export function keepNewestRequests(tx: Writer, source: Uint8Array, count: number): void {
  tx.run(
    `DELETE FROM oauth_requests WHERE id IN (SELECT id FROM oauth_requests WHERE source = ? AND did IS NULL
       ORDER BY created_at DESC, rowid DESC LIMIT -1 OFFSET ?)`,
    [source, count],
  )
}

/**
 * Deletes the oldest undecided request of the source that has most of them, in the network that has most, so that an owner of many
 * addresses evicts their own. Among equals, takes the one with the oldest request.
 */
export function removeOfLargestNetwork(tx: Writer): void {
  tx.run(
    `WITH open AS (SELECT id, source, network, rowid AS place FROM oauth_requests WHERE did IS NULL),
       networks AS (SELECT network, count(*) AS total, min(place) AS oldest FROM open GROUP BY network),
       sources AS (SELECT source, count(*) AS total, min(place) AS oldest FROM open
         WHERE network = (SELECT network FROM networks ORDER BY total DESC, oldest LIMIT 1) GROUP BY source)
     DELETE FROM oauth_requests WHERE id = (SELECT id FROM open
       WHERE source = (SELECT source FROM sources ORDER BY total DESC, oldest LIMIT 1) ORDER BY place LIMIT 1)`,
  )
}

/** Makes a request wait for an approval in the app window. @param isHere whether a browser of this computer shows it */
export function setWaiting(
  tx: Writer,
  id: string,
  waiting: {
    readonly approvalId: string
    readonly number: number
    readonly at: string
    readonly isHere: boolean
  },
): void {
  tx.run(
    'UPDATE oauth_requests SET approval_id = ?, number = ?, waiting_at = ?, waits_here = ? WHERE id = ?',
    [waiting.approvalId, waiting.number, waiting.at, Number(waiting.isHere), id],
  )
}

/** @param codeHash of the code for the client. @param expiresAt end of the time in which it can be exchanged */
export function allowRequest(
  tx: Writer,
  id: string,
  { did, codeHash, expiresAt }: { did: string; codeHash: Uint8Array; expiresAt: string },
): void {
  tx.run('UPDATE oauth_requests SET did = ?, code_hash = ?, expires_at = ? WHERE id = ?', [
    did,
    codeHash,
    expiresAt,
    id,
  ])
}

/** Denies a request. A code that was made for it is no longer valid. @param expiresAt until when the decision is kept */
export function denyRequest(
  tx: Writer,
  id: string,
  { did, at, expiresAt }: { did: string; at: string; expiresAt: string },
): void {
  tx.run(
    'UPDATE oauth_requests SET did = ?, denied_at = ?, code_hash = NULL, expires_at = min(expires_at, ?) WHERE id = ?',
    [did, at, expiresAt, id],
  )
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

/** Whether an account has allowed a client. */
export function hasGrant(db: Reader, did: string, clientId: string): boolean {
  const found = db.get(
    `SELECT 1 AS found FROM oauth_grants
     WHERE client_id = ? AND session_id IN (SELECT id FROM sessions WHERE did = ?)`,
    [clientId, did],
  )
  return found !== undefined
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
