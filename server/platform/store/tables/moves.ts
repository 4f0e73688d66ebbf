/** Table `moves`: accounts that move to this server or to another one, at most one move of each. */
import type { DidString } from '@atproto/syntax'
import type { Reader, Writer } from '../database.ts'
import { actorId } from './actors.ts'

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

/** The columns of a move and their properties, besides the account. */
const columns = {
  direction: 'direction',
  peer: 'peer',
  handle: 'handle',
  accessJwt: 'access_jwt',
  refreshJwt: 'refresh_jwt',
  byAdmin: 'by_admin',
  step: 'step',
  need: 'need',
  error: 'error',
  rev: 'rev',
  copies: 'copies',
  copiedRev: 'copied_rev',
  writesStopped: 'writes_stopped',
  identityChanged: 'identity_changed',
  withoutLater: 'without_later',
  operation: 'operation',
  credentials: 'credentials',
  blobsExpected: 'blobs_expected',
  blobsCopied: 'blobs_copied',
  bytesCopied: 'bytes_copied',
  startedAt: 'started_at',
  updatedAt: 'updated_at',
  endedAt: 'ended_at',
} satisfies { readonly [Name in keyof Omit<Move, 'did'>]: string }

type Column = keyof typeof columns

const select = `
  SELECT a.did, ${Object.entries(columns)
    .map(([name, column]) => `m.${column} AS ${name}`)
    .join(', ')}
  FROM moves m JOIN actors a ON a.id = m.account`

export function find(db: Reader, did: string): Move | undefined {
  return db.get<Move>(`${select} WHERE m.account = ${actorId}`, [did])
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

export type MoveChanges = Partial<Pick<Move, Exclude<Column, 'direction' | 'startedAt' | 'updatedAt'>>>

/** Changes a move. Does nothing if it was cancelled. */
export function update(tx: Writer, did: string, changes: MoveChanges, at: number): void {
  const names = Object.keys(changes) as (keyof MoveChanges)[]
  const assignments = names.map((name) => `${columns[name]} = ?`)
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
