/**
 * Proofs of possession (DPoP, RFC 9449): each request of an app is signed with the key to which its tokens are bound. Loaded with
 * the first such request.
 *
 * Nonces are made from a secret of this start, so that a proof of before a restart counts no more, and the used ids (`jti`) need
 * no table.
 */
import { createHmac, hash } from 'node:crypto'
import type { CryptoKey, JWK, JWTHeaderParameters } from 'jose'
import { calculateJwkThumbprint } from 'jose/jwk/thumbprint'
import { jwtVerify } from 'jose/jwt/verify'
import { importJWK } from 'jose/key/import'
import { LRUCache } from 'lru-cache'
import { randomBytes } from '../../util/random.ts'

/** A request as its client sent it. */
export interface SignedRequest {
  readonly method: string
  /** URLs under which this server may have been called: origin and path. */
  readonly urls: readonly string[]
  /** The DPoP header. */
  readonly proof: string | string[] | undefined
  /** The token that the request presents, if it presents one. */
  readonly accessToken?: string
}

/** A refused proof. The names are those of RFC 9449 §5 and §8. */
export class DpopError extends Error {
  readonly code: 'use_dpop_nonce' | 'invalid_dpop_proof'

  constructor(code: DpopError['code'], message: string) {
    super(message)
    this.name = 'DpopError'
    this.code = code
  }
}

export interface Dpop {
  /** Returns the nonce that the next proof may use. */
  nonce(): string
  /** Verifies the proof of a request, once. @returns the thumbprint (RFC 7638) of its key @throws DpopError */
  verify(request: SignedRequest): Promise<string>
}

/** Milliseconds for which a nonce is handed out; it counts for two of them, so less than five minutes. */
const rotationMs = 2 * 60_000
/** Used proofs that are remembered; beyond, the nonces change early and all earlier proofs are refused. */
const maxUsed = 50_000
/** Bytes of a proof; one of a P-256 key has about 600. */
const maxProofBytes = 8_192
/** Keys that stay imported. */
const maxKeys = 1_000

export function createDpop({ now }: { readonly now: () => Date }): Dpop {
  const secret = randomBytes(32)
  let turn = 0
  let turnEndsAt = 0
  let current = ''
  let previous = ''
  let used = new Set<string>()
  let usedBefore = new Set<string>()
  const keys = createKeys()

  function rotate(): void {
    turn += 1
    turnEndsAt = now().getTime() + rotationMs
    previous = current
    current = createHmac('sha256', secret).update(String(turn)).digest('base64url')
    usedBefore = used
    used = new Set()
  }

  function refresh(): void {
    const left = turnEndsAt - now().getTime()
    // After a sleep of the computer both nonces are too old; a clock that was set back ends the turn as well.
    if (left <= -rotationMs || left > rotationMs) rotate()
    if (left <= 0 || left > rotationMs || used.size >= maxUsed) rotate()
  }

  /** Notes the id of a proof. @throws DpopError if it was used */
  function markUsed(id: string): void {
    if (used.has(id) || usedBefore.has(id))
      throw new DpopError('invalid_dpop_proof', 'The proof was used before')
    used.add(id)
  }

  return {
    nonce() {
      refresh()
      return current
    },

    async verify({ method, urls, proof, accessToken }) {
      refresh()
      if (proof === undefined) throw invalid('The request has no DPoP header')
      if (typeof proof !== 'string' || proof.length > maxProofBytes)
        throw invalid('The DPoP header is malformed')
      let known: ProofKey | undefined
      const findKey = async ({ jwk }: JWTHeaderParameters) => {
        known = await keys.find(jwk)
        return known.key
      }
      const { payload } = await jwtVerify(proof, findKey, {
        typ: 'dpop+jwt',
        algorithms: ['ES256'],
        requiredClaims: ['jti', 'iat', 'htm', 'htu'],
      }).catch(() => {
        throw invalid('The proof is no valid JWT of the type dpop+jwt, signed with ES256')
      })
      const { htm, htu, jti, nonce, ath } = payload
      if (typeof jti !== 'string' || jti.length > 256) throw invalid('The claim jti is malformed')
      if (htm !== method) throw invalid('The claim htm is not the method of the request')
      if (!urls.includes(withoutQuery(htu))) throw invalid('The claim htu is not the URL of the request')
      const hashed = accessToken === undefined ? undefined : hash('sha256', accessToken, 'base64url')
      if (ath !== hashed) throw invalid('The claim ath does not belong to the access token')
      if (typeof nonce !== 'string' || nonce === '' || (nonce !== current && nonce !== previous))
        throw new DpopError('use_dpop_nonce', 'Use the nonce of the header DPoP-Nonce')
      if (!known) throw invalid('The proof has no key')
      markUsed(`${known.thumbprint} ${jti}`)
      return known.thumbprint
    },
  }
}

interface ProofKey {
  readonly key: CryptoKey
  /** RFC 7638 */
  readonly thumbprint: string
}

/** Imports public keys of proofs. Each app uses one, so imported ones are kept. */
function createKeys() {
  const cache = new LRUCache<string, ProofKey>({ max: maxKeys })
  return {
    /** @throws errors of jose for anything but a public P-256 key */
    async find(jwk: JWTHeaderParameters['jwk']): Promise<ProofKey> {
      const { kty, crv, x, y } = jwk ?? {}
      if (kty !== 'EC' || crv !== 'P-256' || (jwk && 'd' in jwk)) throw invalid('The proof has no P-256 key')
      const name = `${x} ${y}`
      const known = cache.get(name)
      if (known) return known
      const key = await importJWK({ kty, crv, x, y } as JWK, 'ES256')
      if (key instanceof Uint8Array) throw invalid('The proof has no P-256 key')
      const found = { key, thumbprint: await calculateJwkThumbprint({ kty, crv, x, y } as JWK) }
      cache.set(name, found)
      return found
    },
  }
}

/** `htu` ends before query and fragment. Many clients add these. */
function withoutQuery(htu: unknown): string {
  const url = typeof htu === 'string' ? URL.parse(htu) : null
  return url ? url.origin + url.pathname : ''
}

function invalid(message: string): DpopError {
  return new DpopError('invalid_dpop_proof', message)
}
