/** Service tokens: JWTs that an account signs with its own key for calls to other servers. */
import { isValidDid } from '@atproto/syntax'
import { isObject, parseJson } from '../../util/json.ts'
import { algorithmOf, type DidKey, isSignedBy, sign } from '../../util/keys.ts'
import { UnresolvableDid } from './resolver.ts'

/** Claims of a service token: `iss` may call method `lxm` of `aud` until `exp`. Times are Unix seconds. */
export type ServiceJwtClaims = {
  iss: string
  aud: string
  /** NSID of the only method that the token permits; absent: any method. */
  lxm?: string | undefined
  iat: number
  exp: number
  jti: string
}

export type ServiceJwtErrorCode =
  | 'BadJwt'
  | 'BadJwtType'
  | 'BadJwtAudience'
  | 'BadJwtLexiconMethod'
  | 'BadJwtIssuer'
  | 'BadJwtSignature'
  | 'JwtExpired'

/** The service token is refused for the reason `code`. */
export class ServiceJwtError extends Error {
  override name = 'ServiceJwtError'
  readonly code: ServiceJwtErrorCode

  constructor(code: ServiceJwtErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** Signs a service token with the issuer's P-256 signing key (atproto inter-service authentication, ES256). */
export async function createServiceJwt(
  token: ServiceJwtClaims & { privateKey: Uint8Array },
): Promise<string> {
  const { privateKey, iss, aud, lxm, iat, exp, jti } = token
  const signed = `${encodePart({ typ: 'JWT', alg: 'ES256' })}.${encodePart({ iss, aud, lxm, iat, exp, jti })}`
  const signature = sign(privateKey, Buffer.from(signed))
  return `${signed}.${Buffer.from(signature).toString('base64url')}`
}

export type ServiceJwtExpectations = {
  /** DIDs of services, or `did#service`. Neither stands for the other. */
  audiences: readonly string[]
  /** NSID of the called method. */
  lxm: string
  now: () => Date
  /** Maps an alias of a method to its NSID before the comparison. */
  ownName?: (nsid: string) => string
  /** Resolves with the key in the issuer's DID document; from the cache unless `refresh`. */
  resolveSigningKey: (did: string, refresh: boolean) => Promise<DidKey | undefined>
}

/** Returns the audiences by which callers name a personal data server: its service, or its DID alone, as older ones do. */
export function audiencesOf(serverDid: string): readonly string[] {
  return [serverDid, `${serverDid}#atproto_pds`]
}

/** The verified claims of a service token. `exp` is in Unix seconds, `jti` as the issuer sent it. */
export interface VerifiedServiceJwt {
  readonly iss: string
  readonly exp: number
  readonly jti: unknown
}

/**
 * Verifies a service token and returns its issuer, expiry and id. It must be for this audience and method, valid now and for an hour at
 * most, and signed with the issuer's key. If the cached key does not fit, the key is looked up again, because the issuer may
 * have changed it.
 * @throws ServiceJwtError, also when the issuer cannot be resolved
 */
export async function verifyServiceJwt(
  jwt: string,
  expected: ServiceJwtExpectations,
): Promise<VerifiedServiceJwt> {
  const { header, claims, signed, signature } = decode(jwt)
  checkHeader(header)
  const verified = checkClaims(claims, expected)
  const { iss } = verified
  const fits = async (key: DidKey | undefined) =>
    key !== undefined && algorithmOf(key) === header.alg && (await isSignedBy(key, signed, signature))

  const key = await issuerKey(iss, false, expected)
  if (await fits(key)) return verified
  const latest = await issuerKey(iss, true, expected)
  if (latest !== key && (await fits(latest))) return verified
  throw new ServiceJwtError('BadJwtSignature', 'The token is not signed with the key of its issuer')
}

async function issuerKey(iss: string, refresh: boolean, expected: ServiceJwtExpectations) {
  try {
    return await expected.resolveSigningKey(iss, refresh)
  } catch (error) {
    if (!(error instanceof UnresolvableDid)) throw error
    throw new ServiceJwtError('BadJwtIssuer', error.message, { cause: error })
  }
}

const MAX_LIFETIME_S = 3600
const CLOCK_SKEW_S = 60
// Tokens of other protocols that an account's key may sign; they do not permit a service call.
const OTHER_TYPES = new Set(['at+jwt', 'refresh+jwt', 'dpop+jwt'])

function checkHeader(header: Record<string, unknown>): void {
  const { typ, alg, crit, kid } = header
  // Media types are compared without case, and may be written in full (RFC 7515 §4.1.9).
  const type = String(typ)
    .toLowerCase()
    .replace(/^application\//, '')
  if (OTHER_TYPES.has(type)) throw new ServiceJwtError('BadJwtType', 'The token is not a service token')
  if (alg !== 'ES256' && alg !== 'ES256K') {
    throw new ServiceJwtError('BadJwt', 'The token is not signed with ES256 or ES256K')
  }
  // This key authenticates accounts; others sign labels and the like. Some implementations write it in full, or without `#`.
  if (kid !== undefined && !(typeof kid === 'string' && /(?:^|#)atproto$/.test(kid)))
    throw new ServiceJwtError('BadJwt', 'The token is signed with another key than #atproto')
  if (crit !== undefined) throw new ServiceJwtError('BadJwt', 'The token requires an unknown extension')
}

function checkClaims(claims: Record<string, unknown>, expected: ServiceJwtExpectations): VerifiedServiceJwt {
  const { iss, aud, lxm, iat, exp, jti } = claims
  const { audiences, ownName = (nsid) => nsid } = expected
  if (!isValidDid(iss)) throw new ServiceJwtError('BadJwtIssuer', 'The issuer is not a DID')
  if (!audiences.some((audience) => aud === audience))
    throw new ServiceJwtError('BadJwtAudience', 'The token is for another service')
  if (typeof lxm !== 'string' || ownName(lxm) !== ownName(expected.lxm)) {
    throw new ServiceJwtError('BadJwtLexiconMethod', `The token is not for ${expected.lxm}`)
  }
  const now = expected.now().getTime() / 1000
  if (typeof exp !== 'number') throw new ServiceJwtError('BadJwt', 'The token has no expiry')
  if (exp <= now) throw new ServiceJwtError('JwtExpired', 'The token has expired')
  if (!(exp <= now + MAX_LIFETIME_S + CLOCK_SKEW_S)) {
    throw new ServiceJwtError('BadJwt', 'The token is valid for more than an hour')
  }
  if (iat !== undefined && !(typeof iat === 'number' && iat <= now + CLOCK_SKEW_S)) {
    throw new ServiceJwtError('BadJwt', 'The token was issued in the future')
  }
  return { iss, exp, jti }
}

function decode(jwt: string) {
  const parts = jwt.split('.')
  const [header, claims, signature] = parts.map((part) => Buffer.from(part, 'base64url'))
  // The round trip refuses padding, other alphabets and stray bits: a token has one encoding.
  const isCanonical = parts.every((part) => Buffer.from(part, 'base64url').toString('base64url') === part)
  if (!header || !claims || !signature || parts.length !== 3 || !isCanonical) {
    throw new ServiceJwtError('BadJwt', 'Not a JWT')
  }
  return {
    header: parseObject(header),
    claims: parseObject(claims),
    signed: Buffer.from(jwt.slice(0, jwt.lastIndexOf('.'))),
    signature,
  }
}

function parseObject(json: Buffer): Record<string, unknown> {
  const value = parseJson(json)
  if (!isObject(value)) throw new ServiceJwtError('BadJwt', 'Not a JWT')
  return value
}

function encodePart(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
