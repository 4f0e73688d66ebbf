/** Tables `sessions` and `refresh_tokens`. */
import type { DidString } from '@atproto/syntax'
import type { Reader, Writer } from '../../store/database.ts'
import { type Account, findByDid } from '../../store/tables/accounts.ts'
import type { DatetimeString } from '../../util/time.ts'

export interface Session {
  readonly id: string
  readonly did: DidString
  /** Scope of its access tokens. */
  readonly scope: string
  /** Null for a sign-in with the main password. */
  readonly appPasswordName: string | null
  readonly client: string | null
  readonly createdAt: DatetimeString
  readonly lastUsedAt: DatetimeString
  readonly expiresAt: DatetimeString
  /** When a refresh token was last used that had been replaced long before; null: never. */
  readonly oldTokenUsedAt: DatetimeString | null
  /** Its permissions as OAuth scopes; null: all that its scope permits. */
  readonly permissions: string | null
  /** Thumbprint (RFC 7638) of the key that proves its requests; null: its access tokens are bearer tokens. */
  readonly dpopKey: string | null
}

/** A session joined with its account, as the verifier reads it. */
export interface OpenSession extends Account, Omit<Session, 'id' | 'did' | 'client' | 'createdAt'> {
  readonly sessionId: string
}

/** The tables that `findOpen` reads. */
export const openSessionTables = ['sessions', 'accounts'] as const

/** In two queries: a join of the tables takes several times longer in this build of SQLite. */
export function findOpen(db: Reader, id: string): OpenSession | undefined {
  const session = db.get<Omit<OpenSession, keyof Account> & { readonly did: DidString }>(
    `SELECT id AS sessionId, did, scope, app_password_name AS appPasswordName, last_used_at AS lastUsedAt,
       expires_at AS expiresAt, old_token_used_at AS oldTokenUsedAt, permissions, dpop_key AS dpopKey
     FROM sessions WHERE id = ?`,
    [id],
  )
  const account = session && findByDid(db, session.did)
  return account && { ...account, ...session }
}

/** Returns when a session was opened. */
export function openedAt(db: Reader, id: string): string | undefined {
  return db.get<{ at: string }>('SELECT created_at AS at FROM sessions WHERE id = ?', [id])?.at
}

/** Returns the given ids that have no session. */
export function missing(db: Reader, ids: readonly string[]): string[] {
  return db
    .all<{ id: string }>(
      'SELECT value AS id FROM json_each(?) WHERE NOT EXISTS (SELECT 1 FROM sessions WHERE id = value)',
      [JSON.stringify(ids)],
    )
    .map(({ id }) => id)
}

/** Returns the sessions of an account, most recently used first. */
export function ofAccount(db: Reader, did: string): Session[] {
  return db.all<Session>(
    `SELECT id, did, scope, app_password_name AS appPasswordName, client, created_at AS createdAt,
       last_used_at AS lastUsedAt, expires_at AS expiresAt, old_token_used_at AS oldTokenUsedAt, permissions,
       dpop_key AS dpopKey
     FROM sessions WHERE did = ? ORDER BY last_used_at DESC, id`,
    [did],
  )
}

export function insert(tx: Writer, session: Session, refreshJti: string): void {
  tx.run(
    `INSERT INTO sessions (id, did, scope, app_password_name, client, created_at, last_used_at, expires_at,
       permissions, dpop_key)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      session.id,
      session.did,
      session.scope,
      session.appPasswordName,
      session.client,
      session.createdAt,
      session.lastUsedAt,
      session.expiresAt,
      session.permissions,
      session.dpopKey,
    ],
  )
  insertRefreshToken(tx, refreshJti, session.id)
}

export interface RefreshToken {
  readonly sessionId: string
  readonly successor: string | null
  readonly graceUntil: string | null
  /** When a token of an app was replaced. */
  readonly replacedAt: string | null
}

export function findRefreshToken(db: Reader, jti: string): RefreshToken | undefined {
  return db.get<RefreshToken>(
    `SELECT session_id AS sessionId, successor, grace_until AS graceUntil, replaced_at AS replacedAt
     FROM refresh_tokens WHERE jti = ?`,
    [jti],
  )
}

function insertRefreshToken(tx: Writer, jti: string, sessionId: string): void {
  tx.run('INSERT INTO refresh_tokens (jti, session_id) VALUES (?, ?)', [jti, sessionId])
}

/** Replaces the current refresh token; the old one keeps working until `graceUntil`. */
export function rotateRefreshToken(
  tx: Writer,
  {
    sessionId,
    jti,
    successor,
    graceUntil,
    replacedAt,
  }: { sessionId: string; jti: string; successor: string; graceUntil: string; replacedAt?: string },
): void {
  tx.run('UPDATE refresh_tokens SET successor = ?, grace_until = ?, replaced_at = ? WHERE jti = ?', [
    successor,
    graceUntil,
    replacedAt ?? null,
    jti,
  ])
  insertRefreshToken(tx, successor, sessionId)
}

/** Moves the last use of a session and its app password forward, never back. */
export function touch(tx: Writer, id: string, at: string): void {
  tx.run('UPDATE sessions SET last_used_at = max(last_used_at, ?) WHERE id = ?', [at, id])
  tx.run(
    `UPDATE app_passwords SET last_used_at = max(coalesce(last_used_at, ''), ?)
     WHERE (did, name) = (SELECT did, app_password_name FROM sessions WHERE id = ?)`,
    [at, id],
  )
}

/** As `touch`, and moves the expiry of the session forward. */
export function extend(
  tx: Writer,
  { sessionId, did, appPasswordName }: Pick<OpenSession, 'sessionId' | 'did' | 'appPasswordName'>,
  at: string,
  expiresAt: string,
): void {
  tx.run(
    'UPDATE sessions SET last_used_at = max(last_used_at, ?), expires_at = max(expires_at, ?) WHERE id = ?',
    [at, expiresAt, sessionId],
  )
  if (appPasswordName === null) return
  tx.run(
    `UPDATE app_passwords SET last_used_at = max(coalesce(last_used_at, ''), ?) WHERE did = ? AND name = ?`,
    [at, did, appPasswordName],
  )
}

/** Notes that an old refresh token was used. */
export function noteOldToken(tx: Writer, id: string, at: string): void {
  tx.run('UPDATE sessions SET old_token_used_at = ? WHERE id = ?', [at, id])
}

export function remove(tx: Writer, id: string): void {
  tx.run('DELETE FROM sessions WHERE id = ?', [id])
}

/** Deletes the sessions of an account, and the requests of apps that it allowed: their codes would open sessions. */
export function removeOfAccount(tx: Writer, did: string): void {
  removeOthers(tx, did, undefined)
}

/** As `removeOfAccount`, except one session. */
export function removeOthers(tx: Writer, did: string, kept: string | undefined): void {
  tx.run('DELETE FROM sessions WHERE did = ? AND id IS NOT ?', [did, kept ?? null])
  tx.run('DELETE FROM oauth_requests WHERE did = ?', [did])
}

/** Deletes expired sessions, and replaced refresh tokens whose grace period has ended. */
export function removeExpired(tx: Writer, now: string): void {
  tx.run('DELETE FROM sessions WHERE expires_at <= ?', [now])
  tx.run('DELETE FROM refresh_tokens WHERE grace_until <= ?', [now])
}

/** Deletes a session if it belongs to the account. */
export function removeOwn(tx: Writer, did: string, id: string): void {
  tx.run('DELETE FROM sessions WHERE id = ? AND did = ?', [id, did])
}
