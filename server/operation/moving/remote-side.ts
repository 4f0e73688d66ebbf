/** Another server as a side of a move. Its session is refreshed when the access token expires. */

import type { Peer } from '../../platform/network/peer.ts'
import { XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import { isObject, isString, parseJson } from '../../util/json.ts'
import { createSharedRun } from '../../util/rounds.ts'
import { type Json, queryText, type Side, type Transfer } from './side.ts'

/** The tokens of a session at another server. */
export interface PeerSession {
  readonly accessJwt: string
  readonly refreshJwt: string
}

export interface RemoteOptions {
  readonly peer: Peer
  readonly origin: string
  readonly session: PeerSession
  /** Largest file that is downloaded from a method, in bytes. */
  readonly maxBytes: (nsid: string) => number
  /** Stores the tokens of a refreshed session. */
  readonly keep: (session: PeerSession) => Promise<void>
  readonly now: () => Date
  readonly signal: AbortSignal
}

/** The session at the other server has ended: its owner must sign in there again. */
export class SignInNeeded extends Error {
  override name = 'SignInNeeded'
}

/** Tokens that expire sooner are refreshed first, because a stream or a mailed code cannot be sent twice. */
const marginMs = 60_000

/** The method whose `ExpiredToken` and `InvalidToken` are about the mailed code. */
const codeMethod = 'com.core.identity.signPlcOperation'

export function createRemoteSide(options: RemoteOptions): Side {
  const { peer, origin, maxBytes, keep, now, signal } = options
  let session = options.session

  /** Calls at the same time share one refresh. */
  const refresh = createSharedRun(async () => {
    const call = { token: session.refreshJwt, signal }
    const answer = await peer
      .post('com.core.server.refreshSession', undefined, call)
      .catch((error: unknown) => {
        if (error instanceof XrpcError && error.status < 500 && error.status !== 429) throw new SignInNeeded()
        throw error
      })
    session = sessionIn(answer)
    await keep(session)
  })

  async function authorized<T>(work: (token: string) => Promise<T>, isRepeatable: boolean): Promise<T> {
    if (expiresAt(session.accessJwt) < now().getTime() + marginMs) await refresh()
    const { accessJwt } = session
    try {
      return await work(accessJwt)
    } catch (error) {
      if (!isRepeatable || !isTokenRejected(error)) throw error
      if (session.accessJwt === accessJwt) await refresh()
      return await work(session.accessJwt).catch((again: unknown) => {
        throw isTokenRejected(again) ? new SignInNeeded() : again
      })
    }
  }

  return {
    origin,
    get: (nsid, query) =>
      authorized((token) => peer.get(nsid, { query: queryText(query), token, signal }), true),
    post: (nsid, input) =>
      authorized((token) => peer.post(nsid, input, { token, signal }), nsid !== codeMethod),
    download: (nsid, query) =>
      authorized(
        (token) => peer.download(nsid, maxBytes(nsid), { query: queryText(query), token, signal }),
        true,
      ),
    upload: (nsid: string, transfer: Transfer) =>
      authorized((token) => peer.upload(nsid, transfer, { token, signal }), false),
  }
}

/** Returns the tokens in a response. @throws XrpcError */
export function sessionIn({ accessJwt, refreshJwt }: Json): PeerSession {
  if (isString(accessJwt) && isString(refreshJwt)) return { accessJwt, refreshJwt }
  throw new XrpcError('UpstreamFailure', 'The other server did not open a session')
}

/** Ends a session at another server, if it responds. */
export async function endSession(peer: Peer, token: string, signal?: AbortSignal): Promise<void> {
  await peer.post('com.core.server.deleteSession', undefined, { token, signal }).catch(() => {})
}

/** Returns the claims of a token, unverified; empty if it is no JWT. */
export function claimsOf(token: string): Json {
  const claims = parseJson(Buffer.from(token.split('.')[1] ?? '', 'base64url'))
  return isObject(claims) ? claims : {}
}

function expiresAt(token: string): number {
  const { exp } = claimsOf(token)
  return typeof exp === 'number' ? exp * 1000 : Number.POSITIVE_INFINITY
}

function isTokenRejected(error: unknown): boolean {
  if (!(error instanceof XrpcError)) return false
  return error.status === 401 || error.name === 'ExpiredToken' || error.name === 'InvalidToken'
}
