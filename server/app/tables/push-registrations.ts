/** Table `push_registrations`: devices that receive an account's notifications by push. */
import type { DidString } from '@atproto/syntax'
import type { Reader, Writer } from '../../store/database.ts'

export interface PushRegistration {
  readonly serviceDid: DidString
  readonly token: string
  readonly platform: string
  readonly appId: string
}

export interface NewRegistration extends PushRegistration {
  readonly did: string
  /** The service that gets the deliveries (`Delivery.target`). A slow target delays only its own deliveries. */
  readonly target: string
  /** The name under which the client called `registerPush`: payloads have the names of its vocabulary. */
  readonly called: string
  readonly createdAt: string
  /** The registration ends with this session. */
  readonly sessionId: string
}

/** A registration that exists belongs to the session from now on, and has its names. */
export function insert(tx: Writer, registration: NewRegistration): void {
  const { did, serviceDid, token, platform, appId, target, called, createdAt, sessionId } = registration
  tx.run(
    `INSERT INTO push_registrations (did, service_did, token, platform, app_id, target, called, created_at, session_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (did, service_did, token, platform, app_id) 
       DO UPDATE SET session_id = excluded.session_id, called = excluded.called`,
    [did, serviceDid, token, platform, appId, target, called, createdAt, sessionId],
  )
}

export function count(db: Reader, did: string): number {
  const row = db.get<{ count: number }>('SELECT count(*) AS count FROM push_registrations WHERE did = ?', [
    did,
  ])
  return row?.count ?? 0
}

/** Returns the targets of all registrations, at most 20. */
export function targets(db: Reader): string[] {
  const rows = db.all<{ target: string }>(
    'SELECT DISTINCT target FROM push_registrations ORDER BY target LIMIT 20',
  )
  return rows.map(({ target }) => target)
}

/** Deletes the registrations of a token at a service; `platform` and `appId` narrow the choice. */
export function remove(
  tx: Writer,
  did: string,
  {
    serviceDid,
    token,
    platform,
    appId,
  }: { serviceDid: string; token: string; platform?: string | undefined; appId?: string | undefined },
): void {
  tx.run(
    `DELETE FROM push_registrations WHERE did = ? AND service_did = ? AND token = ?
       AND platform = coalesce(?, platform) AND app_id = coalesce(?, app_id)`,
    [did, serviceDid, token, platform ?? null, appId ?? null],
  )
}

/** Deletes the registrations of an account: a device registers again when it signs in. */
export function removeOfAccount(tx: Writer, did: string): void {
  tx.run('DELETE FROM push_registrations WHERE did = ?', [did])
}

/** Deletes the registrations of all accounts at a service. */
export function removeOfService(tx: Writer, serviceDid: string): void {
  tx.run('DELETE FROM push_registrations WHERE service_did = ?', [serviceDid])
}
