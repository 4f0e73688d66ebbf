/**
 * Calls XRPC methods with the typed client. Calls for an account refresh its session when the access token has expired, once
 * for all tabs.
 */
import { type XrpcOptions, XrpcResponseError, xrpc } from '@atproto/lex-client'
import {
  getMain,
  type InferMethodOutputBody,
  type InferMethodParams,
  type Main,
  type Procedure,
  type Query,
} from '@atproto/lex-schema'
import { app, com } from '../../lexicons/generated/index.ts'
import { trackedFetch } from './connection.ts'
import { endpoint } from './endpoint.ts'
import { serialize } from './serialize.ts'
import { findSession, removeSession, updateSession } from './sessions.ts'
import { type Session, sessionFrom } from './vault.ts'

export type Method = Query | Procedure
export type Body<M extends Method> = InferMethodOutputBody<M>

/** The session of the account has ended. */
export class SessionEnded extends Error {}

/**
 * Its responses are not compared with the lexicon: for each post of a deep thread, the validation creates errors with the stack of
 * all levels above it. A thousand replies stop the page for a second.
 */
const { getPostThread } = app.example.feed

/** Calls a method without credentials, or with the token given. Headers of the options take precedence. */
export async function call<M extends Method>(
  method: Main<M>,
  options: XrpcOptions<M>,
  token?: string,
): Promise<Body<M>> {
  const headers: HeadersInit = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const validateResponse = getMain(method).nsid !== getPostThread.$nsid
  const agent = { service: endpoint, fetch: fetchFromServer, headers }
  const { body } = await xrpc(agent, method, { ...options, validateResponse } as XrpcOptions<M>)
  return body as unknown as Body<M>
}

const fetchFromServer: typeof fetch = (url, init = {}) => trackedFetch(new URL(String(url)), init)

/**
 * Calls a method with the session of an account.
 * @throws SessionEnded if the session has ended; it is then removed
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
    if (!isTokenRejected(error, getMain(method), session)) throw error
    const refreshed = await refresh(session)
    return call(method, options, refreshed.accessJwt)
  }
}

/** Calls a paged query until the last page. @param itemsOf returns the items of a response */
export async function callForAll<Q extends Query, T>(
  did: string,
  method: Main<Q>,
  params: InferMethodParams<Q>,
  itemsOf: (page: Body<Q>) => readonly T[],
  signal: AbortSignal,
): Promise<readonly T[]> {
  const all: T[] = []
  let cursor: string | undefined
  do {
    const options = { params: { ...params, cursor }, signal } as unknown as XrpcOptions<Q>
    const page = await callAs(did, method, options)
    all.push(...itemsOf(page))
    cursor = (page as { readonly cursor?: string }).cursor
  } while (cursor !== undefined)
  return all
}

/**
 * Whether the error may concern the access token, not an emailed code in the input. A session that lacks permission gets
 * `InvalidToken` too: it is refreshed once, and the next response has the same error. The session of a taken-down account
 * cannot be refreshed, and lacks most permissions.
 */
function isTokenRejected(error: unknown, method: Method, { status }: Session): boolean {
  if (!(error instanceof XrpcResponseError)) return false
  switch (error.error) {
    case 'ExpiredToken':
      return true
    case 'InvalidToken':
      return status !== 'takendown' && !method.errors?.includes('InvalidToken')
    default:
      return error.error === 'AccountNotFound'
  }
}

/** Signs out here and, if it responds, on the server. */
export async function signOut(did: string): Promise<void> {
  const session = findSession(did)
  removeSession(did)
  if (session) await call(com.core.server.deleteSession, {}, session.refreshJwt).catch(() => {})
}

async function refresh(expired: Session): Promise<Session> {
  return exclusively(`pds.refresh ${expired.did}`, async () => {
    const stored = findSession(expired.did)
    if (!stored) throw new SessionEnded()
    // Another tab or call refreshed it while this one waited for the lock.
    if (stored.accessJwt !== expired.accessJwt) return stored
    try {
      const session = sessionFrom(await call(com.core.server.refreshSession, {}, stored.refreshJwt))
      updateSession(expired.did, session)
      return session
    } catch (error) {
      if (!(error instanceof XrpcResponseError) || error.status >= 500 || error.status === 429) throw error
      // The person signed in again meanwhile.
      const replaced = findSession(expired.did)
      if (replaced && replaced.refreshJwt !== stored.refreshJwt) return replaced
      removeSession(expired.did, true)
      throw new SessionEnded()
    }
  })
}

/** Runs one call at a time per name: across tabs with the Web Locks API (secure origins only), else in this tab. */
function exclusively<T>(name: string, work: () => Promise<T>): Promise<T> {
  return 'locks' in navigator ? navigator.locks.request(name, work) : serialize(name, work)
}
