/** Sign-in and sign-up. */
import { com } from '../../lexicons/generated/index.ts'
import { call } from './client.ts'
import { claimsOf } from './jwt.ts'
import { addSession } from './sessions.ts'
import { type Session, sessionFrom } from './vault.ts'

export type Credentials = com.core.server.createSession.$InputBody

/** An app password was used instead of the main password. */
export class AppPasswordError extends Error {}

/** Opens and stores a session. @throws AppPasswordError */
export async function signIn(credentials: Credentials): Promise<Session> {
  const session = sessionFrom(await call(com.core.server.createSession, { body: credentials }))
  if (/appPass/i.test(scopeOf(session.accessJwt))) {
    await call(com.core.server.deleteSession, {}, session.refreshJwt).catch(() => {})
    throw new AppPasswordError()
  }
  addSession(session)
  return session
}

export type NewAccount = com.core.server.createAccount.$InputBody

/** Creates an account and stores its session. @param adminPassword for the first account, away from the server's computer */
export async function signUp(account: NewAccount, adminPassword?: string): Promise<Session> {
  const response = await call(com.core.server.createAccount, {
    body: account,
    headers: asAdmin(adminPassword),
  })
  const session = sessionFrom({ ...response, active: true })
  addSession(session)
  return session
}

/** The header of calls with the admin password. */
export function asAdmin(adminPassword: string | undefined): HeadersInit {
  if (adminPassword === undefined) return {}
  const bytes = new TextEncoder().encode(`admin:${adminPassword}`)
  return { authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` }
}

function scopeOf(accessJwt: string): string {
  const { scope } = claimsOf<{ scope?: string }>(accessJwt)
  return scope ?? ''
}
