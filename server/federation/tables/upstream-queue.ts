/** Table `upstream_queue`: events that wait until another server can be reached. */
import type { Reader, Writer } from '../../store/database.ts'

export interface QueuedFrame {
  readonly id: number
  readonly receivedAt: number
  readonly frame: Uint8Array
}

export interface NewFrame {
  /** Id of the upstream. */
  readonly upstream: number
  readonly did: string
  readonly frame: Uint8Array
}

export function add(tx: Writer, { upstream, did, frame }: NewFrame, at: number): void {
  tx.run(
    `INSERT INTO upstream_queue (upstream, did, received_at, frame)
     SELECT id, ?, ?, ? FROM upstreams WHERE id = ?`,
    [did, at, frame, upstream],
  )
}

export function remove(tx: Writer, id: number): void {
  tx.run('DELETE FROM upstream_queue WHERE id = ?', [id])
}

/** Returns the oldest event of an author. */
export function first(db: Reader, upstream: number, did: string): QueuedFrame | undefined {
  return db.get<QueuedFrame>(
    `SELECT id, received_at AS receivedAt, frame FROM upstream_queue
     WHERE upstream = ? AND did = ? ORDER BY id LIMIT 1`,
    [upstream, did],
  )
}

export interface Backlog {
  readonly did: string
  readonly frames: number
  readonly bytes: number
}

/** Returns number and size of the waiting events of each author. */
export function backlogs(db: Reader, upstream: number): Backlog[] {
  return db.all<Backlog>(
    `SELECT did, count(*) AS frames, sum(length(frame)) AS bytes FROM upstream_queue
     WHERE upstream = ? GROUP BY did ORDER BY min(id)`,
    [upstream],
  )
}
