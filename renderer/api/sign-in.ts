/** Opening sessions. */
import { com } from '../../lexicons/generated/index.ts'
import { call } from './client.ts'
import { addSession } from './sessions.ts'
import { type Session, sessionFrom } from './vault.ts'

export interface Credentials {
  readonly identifier: string
  readonly password: string
  readonly authFactorToken?: string
  /** Opens a narrow session of an account that has been taken down, instead of failing. */
  readonly allowTakendown?: boolean
}

/** An app password was given where the main password is wanted. */
export class AppPasswordUsed extends Error {}

/** Opens a session and keeps it. @throws AppPasswordUsed */
export async function signIn(credentials: Credentials): Promise<Session> {
  const session = sessionFrom(await call(com.core.server.createSession, { body: credentials }))
  if (/appPass/i.test(scopeOf(session.accessJwt))) {
    await call(com.core.server.deleteSession, {}, session.refreshJwt).catch(() => {})
    throw new AppPasswordUsed()
  }
  addSession(session)
  return session
}

export interface NewAccount {
  readonly handle: string
  readonly password: string
  readonly email?: string | undefined
  readonly inviteCode?: string | undefined
}

/** Creates an account, and keeps the session that comes with it. */
export async function signUp(account: NewAccount): Promise<Session> {
  const { email } = account
  const answer = await call(com.core.server.createAccount, { body: account })
  const unconfirmed = email === undefined ? {} : { email, emailConfirmed: false, emailAuthFactor: false }
  const session = sessionFrom({ ...answer, ...unconfirmed, active: true })
  addSession(session)
  return session
}

function scopeOf(accessJwt: string): string {
  const [, payload = ''] = accessJwt.split('.')
  const claims: { scope?: string } = JSON.parse(atob(payload.replace(/-/g, '+').replace(/_/g, '/')))
  return claims.scope ?? ''
}
