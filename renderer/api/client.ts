/**
 * Calls of methods, by the typed client. A call in the name of an account renews its session when the access token has
 * expired: silently, and once for all tabs.
 */
import { type XrpcOptions, XrpcResponseError, xrpc } from '@atproto/lex-client'
import {
  getMain,
  type InferMethodOutputBody,
  type Main,
  type Procedure,
  type Query,
} from '@atproto/lex-schema'
import { com } from '../../lexicons/generated/index.ts'
import { reach } from './connection.ts'
import { endpoint } from './endpoint.ts'
import { findSession, removeSession, updateSession } from './sessions.ts'
import { type Session, sessionFrom } from './vault.ts'

export type Method = Query | Procedure
export type Body<M extends Method> = InferMethodOutputBody<M>

/** The account has no session here any more. */
export class SessionEnded extends Error {}

/** Calls a method without credentials, or with the token given. */
export async function call<M extends Method>(
  method: Main<M>,
  options: XrpcOptions<M>,
  token?: string,
): Promise<Body<M>> {
  const headers: HeadersInit = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const { body } = await xrpc({ service: endpoint, fetch: reachUrl, headers }, method, options)
  return body as unknown as Body<M>
}

const reachUrl: typeof fetch = (url, init = {}) => reach(new URL(String(url)), init)

/**
 * Calls a method in the name of an account.
 * @throws SessionEnded when its session is gone; the session is forgotten then
 */
export async function callAs<M extends Method>(
  did: string,
  method: Main<M>,
  options: XrpcOptions<M>,
): Promise<Body<M>> {
  const session = findSession(did)
  if (!session) throw new SessionEnded()
  try {
    return await call(method, options, session.accessJwt)
  } catch (error) {
    if (!isStale(error, getMain(method))) throw error
    const renewed = await renew(session)
    return call(method, options, renewed.accessJwt)
  }
}

/** Whether the token is what was refused, rather than a code among the input or the right to call. */
function isStale(error: unknown, method: Method): boolean {
  if (!(error instanceof XrpcResponseError)) return false
  switch (error.error) {
    case 'ExpiredToken':
      return true
    case 'InvalidToken':
      return !method.errors?.includes('InvalidToken') && !error.message.startsWith('Bad token')
    default:
      return error.error === 'AccountNotFound'
  }
}

/** Signs out: on the server as well, if it answers. */
export async function signOut(did: string): Promise<void> {
  const session = findSession(did)
  removeSession(did)
  if (session) await call(com.core.server.deleteSession, {}, session.refreshJwt).catch(() => {})
}

async function renew(stale: Session): Promise<Session> {
  return exclusively(`pds.renew ${stale.did}`, async () => {
    const kept = findSession(stale.did)
    if (!kept) throw new SessionEnded()
    // Whoever had the lock before has renewed it already.
    if (kept.accessJwt !== stale.accessJwt) return kept
    try {
      const renewed = await call(com.core.server.refreshSession, {}, kept.refreshJwt)
      const session = sessionFrom(renewed)
      updateSession(stale.did, session)
      return session
    } catch (error) {
      if (!(error instanceof XrpcResponseError) || error.status >= 500 || error.status === 429) throw error
      removeSession(stale.did, true)
      throw new SessionEnded()
    }
  })
}

const underWay = new Map<string, Promise<unknown>>()

/** One at a time: among all tabs where the browser can (only on secure origins), else within this one. */
function exclusively<T>(name: string, work: () => Promise<T>): Promise<T> {
  if ('locks' in navigator) return navigator.locks.request(name, work)
  const before = underWay.get(name) ?? Promise.resolve()
  const turn = before.then(work, work)
  underWay.set(name, turn)
  return turn
}
