/** Checks service tokens as another service does. */
import { isSignedBy } from '../../../server/util/keys.ts'
import type { Person } from '../model/person.ts'
import type { World } from './world.ts'

export interface TokenCheck {
  /** DID of the service. */
  readonly audience: string
  /** The called method. */
  readonly lxm: string
}

export interface CheckedToken {
  /** DID of the account. */
  readonly iss: string
  /** Undefined after the deletion of the account. */
  readonly person: Person | undefined
}

/** Seconds for which a token is valid at most. */
const mostSeconds = 60
/** By how much its time may differ from the clock of its server: the transfer takes no time. */
const clockMs = 5000

const parse = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString())

/** The tokens that a service has seen, each of which works once. */
export class ServiceTokens {
  readonly #world: World
  readonly #seen = new Set<string>()

  constructor(world: World) {
    this.#world = world
  }

  /** @throws Error with the rule that a token breaks */
  async check(authorization: string | undefined, { audience, lxm }: TokenCheck): Promise<CheckedToken> {
    const jwt = authorization?.replace(/^Bearer /, '') ?? ''
    const [header, claims, signature = ''] = jwt.split('.')
    const { typ, alg } = parse(header)
    if (typ !== 'JWT' || alg !== 'ES256') throw new Error(`the token is ${typ}, ${alg}`)
    const { iss, aud, lxm: method, iat, exp, jti } = parse(claims)
    if (aud !== audience) throw new Error(`the token is for ${aud}`)
    if (method !== lxm) throw new Error(`the token is for ${method}`)
    if (!(exp > iat && exp - iat <= mostSeconds)) throw new Error(`the token is valid for ${exp - iat} s`)
    if (typeof jti !== 'string' || this.#seen.has(jti)) throw new Error(`the token ${jti} is used again`)
    this.#seen.add(jti)
    const key = this.#world.signingKeyOf(iss)
    const signed = Buffer.from(`${header}.${claims}`)
    if (!(await isSignedBy(key, signed, Buffer.from(signature, 'base64url'))))
      throw new Error(`the token is not signed by the key of ${iss}`)
    const person = this.#world.people.find(({ did }) => did === iss)
    const early = person ? iat * 1000 - person.machine.now().getTime() : 0
    if (Math.abs(early) > clockMs) throw new Error(`the token was issued ${early} ms from now`)
    return { iss, person }
  }
}
