/** Table `push_registrations`: the devices to which an account has its notifications pushed. */
import type { DidString } from '@atproto/syntax'
import type { Reader, Writer } from '../database.ts'

export interface PushRegistration {
  readonly serviceDid: DidString
  readonly token: string
  readonly platform: string
  readonly appId: string
}

/** The oldest first. */
export function ofAccount(db: Reader, did: string): PushRegistration[] {
  return db.all<PushRegistration>(
    `SELECT service_did AS serviceDid, token, platform, app_id AS appId FROM push_registrations
     WHERE did = ? ORDER BY created_at, service_did, token`,
    [did],
  )
}

export interface NewRegistration extends PushRegistration {
  readonly did: string
  /** Who takes what is pushed: a slow one keeps only its own deliveries waiting. */
  readonly target: string
  readonly createdAt: string
}

/** Does nothing when it is there already. */
export function insert(tx: Writer, registration: NewRegistration): void {
  const { did, serviceDid, token, platform, appId, target, createdAt } = registration
  tx.run(
    `INSERT INTO push_registrations (did, service_did, token, platform, app_id, target, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    [did, serviceDid, token, platform, appId, target, createdAt],
  )
}

export function count(db: Reader, did: string): number {
  const row = db.get<{ count: number }>('SELECT count(*) AS count FROM push_registrations WHERE did = ?', [
    did,
  ])
  return row?.count ?? 0
}

/** Every registration of the token at the service; with `platform` or `appId`, only those. */
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

/** The registrations of others at a service that was an account here. */
export function removeOfService(tx: Writer, serviceDid: string): void {
  tx.run('DELETE FROM push_registrations WHERE service_did = ?', [serviceDid])
}
