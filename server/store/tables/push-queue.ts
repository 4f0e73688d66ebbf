/**
 * Table `push_queue`: notifications on their way to devices, a row for each device. A trigger adds them in the transaction in
 * which the notification arrives; they go with the notification, the registration and the account.
 */
import type { DidString } from '@atproto/syntax'
import type { DatetimeString } from '../../util/time.ts'
import type { Reader, Writer } from '../database.ts'
import type { PushRegistration } from './push-registrations.ts'

export interface Delivery extends PushRegistration {
  /** Of the registration. */
  readonly registration: number
  readonly notification: number
  /** How often it has failed. */
  readonly tries: number
  readonly dueAt: DatetimeString
  /** Who takes it: the service's DID, or the origin of a Web Push endpoint. */
  readonly target: string
  /** The account that is told. */
  readonly did: DidString
  readonly signingKey: Uint8Array
}

/**
 * What is due first, or will be, but for what goes to these. Looks at one delivery of each target, so that it takes no
 * longer when many wait for the same.
 */
export function next(
  db: Reader,
  except: { readonly registrations: readonly number[]; readonly targets: readonly string[] },
): Delivery | undefined {
  return db.get<Delivery>(
    `WITH RECURSIVE targets (target) AS (
       SELECT min(target) FROM push_queue
       UNION ALL
       SELECT (SELECT min(q.target) FROM push_queue q WHERE q.target > t.target) FROM targets t WHERE t.target IS NOT NULL)
     SELECT q.registration, q.notification, q.tries, q.due_at AS dueAt, q.target,
       r.did, a.signing_key AS signingKey, r.service_did AS serviceDid, r.token, r.platform, r.app_id AS appId
     FROM targets t
     JOIN push_queue q ON (q.registration, q.notification) = (
       SELECT f.registration, f.notification FROM push_queue f
       WHERE f.target = t.target AND f.registration NOT IN (SELECT value FROM json_each(?))
       ORDER BY f.due_at LIMIT 1)
     JOIN push_registrations r ON r.id = q.registration
     JOIN accounts a ON a.did = r.did
     WHERE t.target NOT IN (SELECT value FROM json_each(?))
     ORDER BY q.due_at LIMIT 1`,
    [JSON.stringify(except.registrations), JSON.stringify(except.targets)],
  )
}

export function remove(tx: Writer, { registration, notification }: Delivery): void {
  tx.run('DELETE FROM push_queue WHERE registration = ? AND notification = ?', [registration, notification])
}

/** Counts a failure. */
export function postpone(tx: Writer, { registration, notification }: Delivery, dueAt: string): void {
  tx.run('UPDATE push_queue SET tries = tries + 1, due_at = ? WHERE registration = ? AND notification = ?', [
    dueAt,
    registration,
    notification,
  ])
}

/** Removes the registration with all that waits for it; nothing when the delivery is gone, for then its id may be another's. */
export function removeRegistration(tx: Writer, { registration, notification }: Delivery): void {
  tx.run(
    `DELETE FROM push_registrations
     WHERE id IN (SELECT registration FROM push_queue WHERE registration = ? AND notification = ?)`,
    [registration, notification],
  )
}
