/** Table `moves`: accounts that move to this server or to another one, at most one move of each. */
import type { DidString } from '@atproto/syntax'
import type { Reader, SqlValue, Writer } from '../../store/database.ts'
import { actorId } from '../../store/tables/actors.ts'

/** The steps of a move, in order. */
export const steps = [
  'repository',
  'media',
  'preferences',
  'identity',
  'activation',
  'deactivation',
  'done',
] as const

export type StepName = (typeof steps)[number]
export type Direction = 'in' | 'out'
/** Actions that the owner of the account must take before the move goes on; the lexicon explains each. */
export type Need = 'code' | 'signIn' | 'document' | 'media' | 'copy'

/** The columns have the same names in snake case. */
export interface Move {
  readonly did: DidString
  readonly direction: Direction
  /** Origin of the other server. */
  readonly peer: string
  /** Handle of the account at the server that it moves to. */
  readonly handle: string
  /** The session at the other server; null once the move has ended. */
  readonly accessJwt: string | null
  readonly refreshJwt: string | null
  /** 1 when the administrator moves the account: no code is mailed. */
  readonly byAdmin: number
  readonly step: StepName
  readonly need: Need | null
  /** Message of the last failure of the current step. */
  readonly error: string | null
  /** Revision of the repository that was copied. */
  readonly rev: string | null
  /** How often the repository was copied since its owner last did something. */
  readonly copies: number
  /** Revision that the copy got at the new server. */
  readonly copiedRev: string | null
  /** 1 while this server refuses writes of the account: writes after the last copy would be lost. */
  readonly writesStopped: number
  /** 1 once the DID may name the new server: the operation was sent, or the document of a did:web names it. */
  readonly identityChanged: number
  /** 1 once the owner agreed to lose records written at the old server after the last copy. */
  readonly withoutLater: number
  /** JSON: the signed operation that lets the DID name the new server. */
  readonly operation: string | null
  /** JSON: the content that the owner of a did:web must write into its document. */
  readonly credentials: string | null
  /** Files that records refer to; null until they are counted. */
  readonly blobsExpected: number | null
  readonly blobsCopied: number
  readonly bytesCopied: number
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly updatedAt: number
  readonly endedAt: number | null
}

const columnOf = (property: string) => property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const propertyOf = (column: string) => column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())

export function find(db: Reader, did: string): Move | undefined {
  const row = db.get<Record<string, SqlValue>>(`SELECT * FROM moves WHERE account = ${actorId}`, [did])
  if (!row) return undefined
  const { account, ...columns } = row
  const properties = Object.entries(columns).map(([column, value]) => [propertyOf(column), value])
  return { ...Object.fromEntries(properties), did }
}

/** Returns the origin of the server that an account moves to if its writes are stopped. For each write of a record. */
export function stoppedFor(db: Reader, did: string): string | undefined {
  const row = db.get<{ peer: string }>(
    `SELECT peer FROM moves WHERE account = ${actorId} AND writes_stopped = 1`,
    [did],
  )
  return row?.peer
}

/** Returns the DIDs of accounts whose move can go on without their owner. */
export function runnable(db: Reader): DidString[] {
  return db
    .all<{ did: DidString }>(
      `SELECT a.did FROM moves m JOIN actors a ON a.id = m.account
       WHERE m.ended_at IS NULL AND m.need IS NULL ORDER BY m.started_at`,
    )
    .map(({ did }) => did)
}

export type NewMove = Pick<
  Move,
  'did' | 'direction' | 'peer' | 'handle' | 'accessJwt' | 'refreshJwt' | 'byAdmin'
>

/** Starts a move, in the place of an earlier one. */
export function start(tx: Writer, move: NewMove, at: number): void {
  remove(tx, move.did)
  tx.run(
    `INSERT INTO moves (account, direction, peer, handle, access_jwt, refresh_jwt, by_admin, step, started_at, updated_at)
     SELECT id, ?, ?, ?, ?, ?, ?, 'repository', ?, ? FROM accounts WHERE did = ?`,
    [move.direction, move.peer, move.handle, move.accessJwt, move.refreshJwt, move.byAdmin, at, at, move.did],
  )
}

export type MoveChanges = Partial<Omit<Move, 'did' | 'direction' | 'startedAt' | 'updatedAt'>>

/** Changes a move. Does nothing if it was cancelled. */
export function update(tx: Writer, did: string, changes: MoveChanges, at: number): void {
  const names = Object.keys(changes) as (keyof MoveChanges)[]
  const assignments = names.map((name) => `${columnOf(name)} = ?`)
  tx.run(`UPDATE moves SET ${[...assignments, 'updated_at = ?'].join(', ')} WHERE account = ${actorId}`, [
    ...names.map((name) => changes[name] ?? null),
    at,
    did,
  ])
}

/** Counts a file that was copied. */
export function countBlob(tx: Writer, did: string, bytes: number, at: number): void {
  tx.run(
    `UPDATE moves SET blobs_copied = blobs_copied + 1, bytes_copied = bytes_copied + ?, updated_at = ?
     WHERE account = ${actorId}`,
    [bytes, at, did],
  )
}

export function remove(tx: Writer, did: string): void {
  tx.run(`DELETE FROM moves WHERE account = ${actorId}`, [did])
}
