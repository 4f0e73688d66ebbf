/**
 * Tables `remote_actors` and `plc_logs`: identities of actors that live elsewhere. Triggers move a shown handle to another actor
 * when an account here takes or leaves it.
 */
import type { DidString, HandleString } from '@atproto/syntax'
import type { Reader, Writer } from '../../store/database.ts'
import { actorId, idOf } from '../../store/tables/actors.ts'
import type { DidKey } from '../../util/keys.ts'

/** An identity as its document says; see `server/federation/actors/identities.ts`. */
export interface RemoteIdentity {
  /** Verified; null: none. */
  readonly handle: HandleString | null
  /** Shown if another actor has the handle. */
  readonly hostHandle: HandleString | null
  /** Origin of its personal data server. */
  readonly host: string
  readonly signingKey: DidKey
  /** Milliseconds since 1970: when its document was last read; null: it has to be read again. */
  readonly resolvedAt: number | null
}

type Row = { readonly [Name in keyof RemoteIdentity]: RemoteIdentity[Name] | null }

/** Returns the identity of an actor; undefined if it was never read. */
export function find(db: Reader, did: string): RemoteIdentity | undefined {
  const row = db.get<Row>(
    `SELECT handle, host_handle AS hostHandle, host, signing_key AS signingKey, resolved_at AS resolvedAt
     FROM remote_actors WHERE id = ${actorId}`,
    [did],
  )
  if (!row || row.host === null || row.signingKey === null) return undefined
  return { ...row, host: row.host, signingKey: row.signingKey }
}

/** Stores an identity if a record or an account refers to its DID, and the DID has no account here. */
export function put(tx: Writer, did: string, identity: RemoteIdentity): void {
  const id = remoteId(tx, did)
  if (id === undefined) return
  const { handle, hostHandle, host, signingKey, resolvedAt } = identity
  const shown = [handle, hostHandle].find((name) => name !== null && isFree(tx, name, id)) ?? null
  tx.run(
    `INSERT INTO remote_actors (id, handle, host_handle, shown_handle, host, signing_key, resolved_at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
     ON CONFLICT DO UPDATE SET handle = ?2, host_handle = ?3, shown_handle = ?4, host = ?5, signing_key = ?6, resolved_at = ?7`,
    [id, handle, hostHandle, shown, host, signingKey, resolvedAt],
  )
}

/** Returns the id of a known actor without an account here. */
export function remoteId(db: Reader, did: string): number | undefined {
  const id = idOf(db, did)
  return id === undefined || db.get('SELECT 1 FROM accounts WHERE id = ?', [id]) ? undefined : id
}

function isFree(db: Reader, handle: string, id: number): boolean {
  const holder = db.get(
    `SELECT 1 FROM accounts WHERE handle = ?1
     UNION ALL SELECT 1 FROM remote_actors WHERE shown_handle = ?1 AND id <> ?2`,
    [handle, id],
  )
  return holder === undefined
}

/** Marks an identity as changed: it has to be read again, whenever it was tried. */
export function expire(tx: Writer, did: string): void {
  tx.run(`UPDATE remote_actors SET resolved_at = NULL, tried_at = NULL WHERE id = ${actorId}`, [did])
}

/** As `expire`, for all actors of a server. @param host its origin */
export function expireHost(tx: Writer, host: string): void {
  tx.run('UPDATE remote_actors SET resolved_at = NULL, tried_at = NULL WHERE host = ?', [host])
}

/** Stores the time of the last attempt to refresh an actor. */
export function setTried(tx: Writer, did: string, at: number): void {
  const id = remoteId(tx, did)
  if (id === undefined) return
  tx.run('INSERT INTO remote_actors (id, tried_at) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET tried_at = ?2', [
    id,
    at,
  ])
}

/** Returns the verified operations of an identity as JSON. */
export function findLog(db: Reader, did: string): string | undefined {
  return db.get<{ log: string }>(`SELECT log FROM plc_logs WHERE actor = ${actorId}`, [did])?.log
}

/** @param log JSON; undefined: a directory or a domain vouches for the identity by now */
export function putLog(tx: Writer, did: string, log: string | undefined): void {
  const id = remoteId(tx, did)
  if (id === undefined) return
  if (log === undefined) tx.run('DELETE FROM plc_logs WHERE actor = ?', [id])
  else
    tx.run('INSERT INTO plc_logs (actor, log) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET log = ?2', [id, log])
}

/** Times in milliseconds since 1970. */
export interface RefreshLimits {
  /** Actors that were refreshed since then are up to date. */
  readonly refreshedSince: number
  /** Actors that were tried since then have to wait. */
  readonly triedSince: number
}

const isOutdated = `NOT EXISTS (SELECT 1 FROM accounts WHERE id = a.id)
  AND NOT EXISTS (SELECT 1 FROM remote_actors WHERE id = a.id
    AND ((resolved_at >= ?1 AND profile_at >= ?1) OR tried_at >= ?2))`

/** Returns the DIDs of the given actors that live elsewhere and have to be refreshed. */
export function outdated(db: Reader, ids: readonly number[], limits: RefreshLimits): string[] {
  const rows = db.all<{ did: string }>(
    `SELECT a.did FROM json_each(?3) w CROSS JOIN actors a ON a.id = w.value WHERE ${isOutdated}`,
    [limits.refreshedSince, limits.triedSince, JSON.stringify(ids)],
  )
  return rows.map(({ did }) => did)
}

/** As `outdated`, by DIDs. */
export function outdatedDids(db: Reader, dids: readonly string[], limits: RefreshLimits): string[] {
  const rows = db.all<{ did: string }>(
    `SELECT a.did FROM json_each(?3) w CROSS JOIN actors a ON a.did = w.value WHERE ${isOutdated}`,
    [limits.refreshedSince, limits.triedSince, JSON.stringify(dids)],
  )
  return rows.map(({ did }) => did)
}

/** Stores when the profile of an actor was last read. */
export function setRefreshed(tx: Writer, did: string, at: number): void {
  tx.run(`UPDATE remote_actors SET profile_at = ? WHERE id = ${actorId}`, [at, did])
}

export interface ActorDescription {
  readonly did: DidString
  /** The handle that is shown here; null: the actor has none. */
  readonly handle: HandleString | null
  /** 1 if it has an account here; then the columns of the account follow. */
  readonly isLocal: number
  readonly takenDownAt: string | null
  readonly suspendedAt: string | null
  readonly deactivatedAt: string | null
  /** Null for an account here, as the following. */
  readonly host: string | null
  readonly remoteStatus: string | null
  /** Milliseconds since 1970. */
  readonly refreshedAt: number | null
}

/** Describes the known ones of some actors. */
export function describe(db: Reader, dids: readonly string[]): ActorDescription[] {
  return db.all<ActorDescription>(
    `SELECT a.did, coalesce(c.handle, r.shown_handle) AS handle, c.id IS NOT NULL AS isLocal,
       c.taken_down_at AS takenDownAt, c.suspended_at AS suspendedAt, c.deactivated_at AS deactivatedAt,
       r.host, r.status AS remoteStatus, r.profile_at AS refreshedAt
     FROM json_each(?) w CROSS JOIN actors a ON a.did = w.value
     LEFT JOIN accounts c ON c.id = a.id LEFT JOIN remote_actors r ON r.id = a.id`,
    [JSON.stringify([...new Set(dids)])],
  )
}
