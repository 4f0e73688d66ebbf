/** Table `upstreams`: servers whose event streams are read. */
import type { Reader, Writer } from '../../store/database.ts'

export interface Upstream {
  readonly id: number
  /** Origin. */
  readonly url: string
  /** 1 when a setting names it. */
  readonly isConfigured: number
  /** Number of the last event that was read; null before the first one. */
  readonly cursor: number | null
  /** Milliseconds since 1970, as all times here. */
  readonly lastEventAt: number | null
  readonly addedAt: number
}

const select = `
  SELECT id, url, is_configured AS isConfigured, cursor, last_event_at AS lastEventAt, added_at AS addedAt
  FROM upstreams`

export function all(db: Reader): Upstream[] {
  return db.all<Upstream>(`${select} ORDER BY added_at, id`)
}

export function findByUrl(db: Reader, url: string): Upstream | undefined {
  return db.get<Upstream>(`${select} WHERE url = ?`, [url])
}

export function add(
  tx: Writer,
  { url, isConfigured }: { url: string; isConfigured: boolean },
  at: number,
): void {
  tx.run('INSERT INTO upstreams (url, is_configured, added_at) VALUES (?, ?, ?)', [
    url,
    Number(isConfigured),
    at,
  ])
}

export function remove(tx: Writer, url: string): void {
  tx.run('DELETE FROM upstreams WHERE url = ?', [url])
}

/** Replaces the upstreams of the settings by `urls`: adds new ones, removes absent ones. */
export function configure(tx: Writer, urls: readonly string[], at: number): void {
  for (const { url, isConfigured } of all(tx)) {
    if (isConfigured && !urls.includes(url)) remove(tx, url)
  }
  for (const url of urls) {
    const known = findByUrl(tx, url)
    if (!known) add(tx, { url, isConfigured: true }, at)
    else if (!known.isConfigured) tx.run('UPDATE upstreams SET is_configured = 1 WHERE url = ?', [url])
  }
}

/** Where a stream continues. */
export interface Position {
  readonly cursor: number
  readonly lastEventAt: number
}

/** Stores the position. Does nothing if the upstream was removed. */
export function advance(tx: Writer, id: number, { cursor, lastEventAt }: Position): void {
  tx.run('UPDATE upstreams SET cursor = ?, last_event_at = ? WHERE id = ?', [cursor, lastEventAt, id])
}

/** Continues from another event, because the upstream has counted anew. */
export function rewind(tx: Writer, id: number, cursor: number): void {
  tx.run('UPDATE upstreams SET cursor = ? WHERE id = ?', [cursor, id])
}
