/**
 * Tables `links` and `subjects`: the references from records to actors and records. Triggers keep `link_counts`, and delete
 * subjects and actors with the last link to them.
 */
import type { Reader, Writer } from '../../store/database.ts'
import * as actors from '../../store/tables/actors.ts'
import * as collections from '../../store/tables/collections.ts'
import type { LinkPath } from '../format/link-paths.ts'

/** A reference from a record: to an actor, or to a record of that actor. */
export interface Link {
  readonly path: LinkPath
  readonly did: string
  readonly record?: { readonly collection: string; readonly rkey: string } | undefined
}

interface Row {
  readonly subject: number
  readonly path: number
}

/** Inserts the links of a new record. @param from ids of the record and its author */
export function insert(tx: Writer, from: { record: number; actor: number }, links: readonly Link[]): void {
  for (const link of links) insertRow(tx, from, { subject: subjectId(tx, link), path: link.path })
}

/** Replaces the links of a changed record, and keeps unchanged ones. */
export function replace(tx: Writer, from: { record: number; actor: number }, links: readonly Link[]): void {
  const wanted = links.map((link) => ({ subject: subjectId(tx, link), path: link.path }))
  const stored = tx.all<Row>('SELECT subject, path FROM links WHERE record = ?', [from.record])
  for (const row of wanted) if (!stored.some((one) => isSame(one, row))) insertRow(tx, from, row)
  for (const { subject, path } of stored.filter((row) => !wanted.some((one) => isSame(one, row)))) {
    tx.run('DELETE FROM links WHERE subject = ? AND path = ? AND actor = ? AND record = ?', [
      subject,
      path,
      from.actor,
      from.record,
    ])
  }
}

/** Whether another record of the actor refers to the same subject by the same path. */
export function hasOtherLink(
  db: Reader,
  { subject, path, actor, record }: Row & { readonly actor: number; readonly record: number },
): boolean {
  const sql = 'SELECT 1 FROM links WHERE subject = ? AND path = ? AND actor = ? AND record <> ? LIMIT 1'
  return db.get(sql, [subject, path, actor, record]) !== undefined
}

function insertRow(tx: Writer, { record, actor }: { record: number; actor: number }, row: Row): void {
  tx.run('INSERT INTO links (subject, path, actor, record) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING', [
    row.subject,
    row.path,
    actor,
    record,
  ])
}

function subjectId(tx: Writer, { did, record }: Link): number {
  const actor = actors.ensure(tx, did)
  if (!record) return actor
  const key = [actor, record.rkey, collections.ensure(tx, record.collection)]
  return (
    tx.get<{ id: number }>('SELECT id FROM subjects WHERE actor = ? AND rkey = ? AND collection = ?', key)
      ?.id ??
    tx.get<{ id: number }>(
      'INSERT INTO subjects (actor, rkey, collection) VALUES (?, ?, ?) RETURNING id',
      key,
    )?.id ??
    0
  )
}

function isSame(a: Row, b: Row): boolean {
  return a.subject === b.subject && a.path === b.path
}
