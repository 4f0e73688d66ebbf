/** Apps outside that sign in by OAuth: each request has a proof of the app's key (DPoP). Their tokens are in the model of people. */
import '../../../server/identity/oauth/authorization-server.ts'
import '../../../server/identity/oauth/dpop.ts'
import '../../../server/identity/oauth/permissions.ts'
import { createECDH, createHash } from 'node:crypto'
import { type Span, timed } from '../model/time-span.ts'
import type { Machine } from './machine.ts'
import { createSigner } from './signer.ts'
import type { Answer, World } from './world.ts'

const base64url = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url')
const hashOf = (text: string) => createHash('sha256').update(text).digest()

export const redirect = 'http://127.0.0.1/callback'

export type TimedAnswer = Answer & { readonly at: Span }

export interface AppCall {
  readonly token: string
  readonly input?: object
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
}

/** Scopes by the names of apps. Two apps of one client have keys of their own. */
const scopes = {
  reader: 'atproto',
  liker: 'atproto repo:app.bsky.feed.like',
  poster: 'atproto repo:app.bsky.feed.post?action=create',
  client: 'atproto transition:generic',
  'other client': 'atproto transition:generic',
} as const

export function createApps(): App[] {
  return Object.entries(scopes).map(([name, scope]) => new App(name, scope))
}

export class App {
  readonly name: string
  readonly scope: string
  /** Of a client for development, which has no document. */
  readonly clientId: string
  readonly #sign: (data: Uint8Array) => Uint8Array
  readonly #jwk: object
  readonly #nonces = new Map<Machine, string>()
  #proofs = 0

  constructor(name: string, scope: string) {
    this.name = name
    this.scope = scope
    this.clientId = `http://localhost?${new URLSearchParams({ redirect_uri: redirect, scope })}`
    const key = hashOf(`key of ${name}`)
    this.#sign = createSigner(key)
    const pair = createECDH('prime256v1')
    pair.setPrivateKey(key)
    const [, ...point] = pair.getPublicKey()
    this.#jwk = {
      ...{ kty: 'EC', crv: 'P-256' },
      ...{ x: base64url(Buffer.from(point.slice(0, 32))), y: base64url(Buffer.from(point.slice(32))) },
    }
  }

  /** Whether it may write a record. */
  mayWrite(collection: string, action: string): boolean {
    if (this.scope.includes('transition:generic')) return true
    const [, allowed, only = action] = /repo:([\w.]+)(?:\?action=(\w+))?/.exec(this.scope) ?? []
    return collection === allowed && action === only
  }

  /** Sends a form to an endpoint of the authorization server. */
  post(
    world: World,
    machine: Machine,
    path: string,
    fields: Readonly<Record<string, string>>,
  ): Promise<TimedAnswer> {
    return this.#twice(machine, () =>
      world.send(machine, {
        ...{ method: 'POST', path },
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          dpop: this.#proof(machine, 'POST', path),
        },
        body: Buffer.from(new URLSearchParams({ client_id: this.clientId, ...fields }).toString()),
      }),
    )
  }

  /** Calls a method. */
  call(
    world: World,
    machine: Machine,
    nsid: string,
    { token, input, query = {}, headers = {} }: AppCall,
  ): Promise<TimedAnswer> {
    const method = input ? 'POST' : 'GET'
    const search = new URLSearchParams(query).toString()
    return this.#twice(machine, () =>
      world.send(machine, {
        ...{ method, path: `/xrpc/${nsid}${search && `?${search}`}` },
        headers: {
          ...headers,
          ...(input && { 'content-type': 'application/json' }),
          authorization: `DPoP ${token}`,
          dpop: this.#proof(machine, method, `/xrpc/${nsid}`, { ath: base64url(hashOf(token)) }),
        },
        body: input && Buffer.from(JSON.stringify(input)),
      }),
    )
  }

  /** Sends a request again if the server wants another nonce. */
  async #twice(machine: Machine, send: () => Promise<Answer>): Promise<TimedAnswer> {
    const attempt = async () => {
      const answer = await timed(machine, send)
      const nonce = answer.headers.get('dpop-nonce')
      if (nonce !== undefined) this.#nonces.set(machine, nonce)
      return answer
    }
    const answer = await attempt()
    return answer.body?.error === 'use_dpop_nonce' ? attempt() : answer
  }

  #proof(machine: Machine, htm: string, path: string, claims: object = {}): string {
    const header = { alg: 'ES256', typ: 'dpop+jwt', jwk: this.#jwk }
    const payload = {
      ...{ jti: `${++this.#proofs}`, iat: Math.floor(machine.now().getTime() / 1000) },
      ...{ htm, htu: machine.url + path, nonce: this.#nonces.get(machine) },
      ...claims,
    }
    const signed = `${base64url(JSON.stringify(header))}.${base64url(JSON.stringify(payload))}`
    return `${signed}.${base64url(this.#sign(Buffer.from(signed)))}`
  }
}
