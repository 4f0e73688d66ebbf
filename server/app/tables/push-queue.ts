/**
 * Table `push_queue`: notifications to deliver, one row per device. A trigger inserts the rows in the transaction that
 * inserts the notification. They are deleted with the notification, the registration or the account.
 */
import type { DidString } from '@atproto/syntax'
import type { Reader, Writer } from '../../store/database.ts'
import type { DatetimeString } from '../../util/time.ts'
import type { PushRegistration } from './push-registrations.ts'

export interface Delivery extends PushRegistration {
  /** Id of the registration. */
  readonly registration: number
  readonly notification: number
  /** Number of failed attempts. */
  readonly tries: number
  readonly dueAt: DatetimeString
  /** Where requests go: the service's DID, or the origin of a Web Push endpoint. */
  readonly target: string
  /** The name of `registerPush` that the client called. */
  readonly called: string
  /** The account that is notified. */
  readonly did: DidString
  readonly signingKey: Uint8Array
}

/** Registrations, targets and accounts that get no further delivery now. */
export interface Busy {
  readonly registrations: readonly number[]
  readonly targets: readonly string[]
  readonly accounts: readonly string[]
}

/**
 * The delivery with the earliest due time that is not busy. Reads one row per target, and the rows of busy registrations and
 * accounts that are due before it.
 */
export function next(db: Reader, except: Busy): Delivery | undefined {
  const accounts = JSON.stringify(except.accounts)
  return db.get<Delivery>(
    `WITH RECURSIVE targets (target) AS (
       SELECT min(target) FROM push_queue
       UNION ALL
       SELECT (SELECT min(q.target) FROM push_queue q WHERE q.target > t.target) FROM targets t WHERE t.target IS NOT NULL),
     busy (registration) AS MATERIALIZED (
       SELECT value FROM json_each(?)
       UNION ALL SELECT id FROM push_registrations WHERE did IN (SELECT value FROM json_each(?)))
     SELECT q.registration, q.notification, q.tries, q.due_at AS dueAt, q.target,
       r.did, a.signing_key AS signingKey, r.service_did AS serviceDid, r.token, r.platform, r.app_id AS appId, r.called
     FROM targets t
     JOIN push_queue q ON (q.registration, q.notification) = (
       SELECT f.registration, f.notification FROM push_queue f
       WHERE f.target = t.target AND f.registration NOT IN (SELECT registration FROM busy)
       ORDER BY f.due_at LIMIT 1)
     JOIN push_registrations r ON r.id = q.registration
     JOIN accounts a ON a.did = r.did
     WHERE t.target NOT IN (SELECT value FROM json_each(?))
     ORDER BY q.due_at LIMIT 1`,
    [JSON.stringify(except.registrations), accounts, JSON.stringify(except.targets)],
  )
}

/** Whether a delivery exists: it ends with its notification, and with the registration of its device. */
export function exists(db: Reader, { registration, notification }: Delivery): boolean {
  const found = db.get('SELECT 1 FROM push_queue WHERE registration = ? AND notification = ?', [
    registration,
    notification,
  ])
  return found !== undefined
}

export function remove(tx: Writer, { registration, notification }: Delivery): void {
  tx.run('DELETE FROM push_queue WHERE registration = ? AND notification = ?', [registration, notification])
}

/** Counts a failed attempt and sets the time of the next. */
export function postpone(tx: Writer, { registration, notification }: Delivery, dueAt: string): void {
  tx.run('UPDATE push_queue SET tries = tries + 1, due_at = ? WHERE registration = ? AND notification = ?', [
    dueAt,
    registration,
    notification,
  ])
}

/** Deletes the registration and its queue. Ignores a delivery that was deleted: its id may be reused. */
export function removeRegistration(tx: Writer, { registration, notification }: Delivery): void {
  tx.run(
    `DELETE FROM push_registrations
     WHERE id IN (SELECT registration FROM push_queue WHERE registration = ? AND notification = ?)`,
    [registration, notification],
  )
}
