/**
 * Sessions of apps that signed in by OAuth: `Authorization: DPoP`, with a proof of the key to which the token is bound (RFC 9449
 * §7). Refusals follow RFC 6750 §3, because clients renew their tokens by them.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Caller, Proof } from '../../platform/xrpc/method.ts'
import { XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import type { SessionLookup } from '../auth/session-lookup.ts'
import type { VerifiedToken } from '../auth/tokens.ts'
import type { OpenSession } from '../tables/sessions.ts'
import type { Dpop } from './dpop.ts'

interface Deps {
  readonly lookup: SessionLookup
  readonly loadDpop: () => Promise<Dpop>
  /** Public URL of this server. */
  readonly origin: string
  /** Whether a token was issued while the clock was ahead. */
  readonly isOfFuture: (claims: VerifiedToken) => boolean
}

export interface AppSession {
  readonly claims: VerifiedToken
  readonly account: OpenSession
  /** The nonce of the next proof, for the response. */
  readonly nonce: string
}

/** Returns the token in `DPoP TOKEN`; undefined for another scheme. */
export function dpopToken(header: string | undefined): string | undefined {
  return header === undefined ? undefined : /^dpop +([\w.~+/=-]+) *$/i.exec(header)?.[1]
}

/** Returns the URLs that the proof of a request may name. A proxy may hide the one that the client used. */
export function urlsOf({ origin: used, path }: Caller, origin: string): string[] {
  return [...new Set([used, origin])].map((each) => each + path)
}

/** Creates the check of a request. A request is checked again while it runs; its proof counts once. */
export function createAppSessions({ lookup, loadDpop, origin, isOfFuture }: Deps) {
  const proven = new WeakMap<IncomingHttpHeaders, string>()

  /** @throws XrpcError `use_dpop_nonce`, `invalid_dpop_proof`, `invalid_token` (401) */
  return async ({ headers, caller }: Proof, token: string): Promise<AppSession> => {
    const dpop = await loadDpop()
    const refused = (code: string, message: string) =>
      new XrpcError(code, message, {
        status: 401,
        headers: {
          'WWW-Authenticate': `DPoP algs="ES256", error="${code}", error_description="${message}"`,
          'DPoP-Nonce': dpop.nonce(),
        },
      })
    let thumbprint = proven.get(headers)
    if (thumbprint === undefined) {
      const request = { method: caller.method, urls: urlsOf(caller, origin), accessToken: token }
      thumbprint = await dpop.verify({ ...request, proof: headers.dpop }).catch((error: unknown) => {
        const { code, message } = error as { code?: unknown; message: string }
        throw typeof code === 'string' && /dpop/.test(code) ? refused(code, message) : error
      })
      proven.set(headers, thumbprint)
    }
    const invalid = () => refused('invalid_token', 'The access token is not valid any more')
    const claims = await lookup.verify(token).catch((error: unknown) => {
      throw error instanceof XrpcError ? invalid() : error
    })
    if (claims.kind !== 'oauth' || isOfFuture(claims)) throw invalid()
    const account = lookup.find(claims.sid)
    if (account?.did !== claims.sub || account.dpopKey !== thumbprint) throw invalid()
    return { claims, account, nonce: dpop.nonce() }
  }
}
