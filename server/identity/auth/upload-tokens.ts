/** Service tokens for uploads: an account hands one to a service, which uploads a file for it, such as a converted video. */
import type { DidString } from '@atproto/syntax'
import type { Platform } from '../../platform/platform.ts'
import { protocolError } from '../../platform/xrpc/xrpc-errors.ts'
import * as accounts from '../../store/tables/accounts.ts'
import { isObject, parseJson } from '../../util/json.ts'
import { loadSigningKey } from '../../util/keys.ts'
import { audiencesOf, ServiceJwtError, verifyServiceJwt } from '../did/service-jwt.ts'
import { tokenRefusal } from './authorization.ts'

const maxUsed = 100_000
const maxJtiLength = 200

/** Returns whether a bearer token names a method, as only service tokens do. It is not verified. */
export function isServiceToken(token: string): boolean {
  const claims = parseJson(Buffer.from(token.split('.')[1] ?? '', 'base64url'))
  return isObject(claims) && claims.lxm !== undefined
}

/**
 * Returns a function that verifies an upload token and returns its account. Only the key that this server keeps for the account
 * counts, and a token is valid for one request. `request` identifies it, because a request is authorized again after its body.
 * Used tokens are kept in memory until they expire.
 * @throws XrpcError `InvalidToken`, `ExpiredToken`, `RateLimitExceeded`
 */
export function createUploadTokens({
  store,
  names,
  now,
  serverDid,
}: Pick<Platform, 'store' | 'names' | 'now' | 'serverDid'>): (
  token: string,
  request: object,
) => Promise<DidString> {
  const used = new Map<string, { readonly exp: number; readonly request: WeakRef<object> }>()

  const spend = (key: string, exp: number, request: object) => {
    const earlier = used.get(key)
    if (earlier?.request.deref() === request) return
    if (earlier) throw protocolError('InvalidToken', 'This token has been used already. Request a new one.')
    if (used.size >= maxUsed) dropExpired(used, now().getTime() / 1000)
    if (used.size >= maxUsed) throw protocolError('RateLimitExceeded', 'Too many uploads by services')
    used.set(key, { exp, request: new WeakRef(request) })
  }

  return async (token, request) => {
    const { iss, exp, jti } = await verifyServiceJwt(token, {
      audiences: audiencesOf(serverDid),
      lxm: 'com.core.repo.uploadBlob',
      ownName: names.own,
      now,
      resolveSigningKey: async (did) => {
        const account = accounts.findByDid(store, did)
        return account && (await loadSigningKey(account.signingKey)).did
      },
    }).catch((error: unknown) => {
      if (!(error instanceof ServiceJwtError)) throw error
      throw error.code === 'JwtExpired'
        ? tokenRefusal('expired')
        : protocolError('InvalidToken', error.message)
    })
    const account = accounts.findByDid(store, iss)
    if (!account || typeof jti !== 'string' || jti.length > maxJtiLength) throw tokenRefusal('invalid')
    if (account.takenDownAt !== null) throw protocolError('ExpiredToken', 'Token has been revoked')
    spend(`${iss} ${jti}`, exp, request)
    return account.did
  }
}

function dropExpired(used: Map<string, { readonly exp: number }>, now: number): void {
  for (const [key, { exp }] of used) if (exp <= now) used.delete(key)
}
