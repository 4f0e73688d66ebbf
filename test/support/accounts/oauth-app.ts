/** An app that signs in by OAuth without a library, so that each of its requests can be wrong. */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import type { Account, Answer } from '../server/server.ts'
import { server } from '../server/setup.ts'
import { answerIn, issuer } from './oauth.ts'

export const redirect = 'http://127.0.0.1/callback'

/** Replaces claims and header of a proof, or the proof. */
export interface ProofChange {
  readonly claims?: Record<string, unknown>
  readonly header?: Record<string, unknown>
  readonly text?: string | null
}

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
}

type Key = Awaited<ReturnType<typeof generateKeyPair>>['privateKey']

export class App {
  readonly clientId: string
  readonly #key: Key
  readonly #jwk: JWK
  /** Of the last request. */
  verifier = ''
  readonly #verifiers = new Map<string, string>()
  nonce: string | undefined
  /** Fields of each request that authenticate the client. */
  authentication: (() => Promise<Record<string, string>>) | undefined
  /** The address that a trusted proxy forwards. */
  address: string | undefined

  private constructor(clientId: string, key: Key, jwk: JWK) {
    this.clientId = clientId
    this.#key = key
    this.#jwk = jwk
  }

  static async create(scope = 'atproto transition:generic', clientId?: string): Promise<App> {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
    const query = new URLSearchParams({ redirect_uri: redirect, scope })
    return new App(clientId ?? `http://localhost?${query}`, privateKey, await exportJWK(publicKey))
  }

  get thumbprint(): Promise<string> {
    return calculateJwkThumbprint(this.#jwk)
  }

  async proof(
    method: string,
    url: string,
    { claims, header, text }: ProofChange = {},
  ): Promise<string | null> {
    if (text !== undefined) return text
    const payload = { jti: randomUUID(), htm: method, htu: url, nonce: this.nonce, ...claims }
    return new SignJWT(payload)
      .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk: this.#jwk, ...header })
      .setIssuedAt()
      .sign(this.#key)
  }

  /** Sends a form to an endpoint. */
  async send(
    path: string,
    fields: Record<string, string>,
    change?: ProofChange,
    isRepeated = false,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const hadNonce = this.nonce !== undefined
    const proof = await this.proof('POST', issuer() + path, change)
    const response = await fetch(issuer() + path, {
      method: 'POST',
      headers: {
        ...headers,
        ...(proof !== null && { dpop: proof }),
        ...(this.address !== undefined && { 'x-forwarded-for': this.address }),
      },
      body: new URLSearchParams(fields),
    })
    const answer = await this.#read(response)
    // As a client does after a while: the nonce has changed.
    const isOld = answer.body?.error === 'use_dpop_nonce' && change === undefined && hadNonce
    return isOld && !isRepeated ? this.send(path, fields, change, true, headers) : answer
  }

  async #read(response: Response): Promise<Answer> {
    this.nonce = response.headers.get('dpop-nonce') ?? this.nonce
    const text = await response.text()
    const body = text === '' ? undefined : JSON.parse(text)
    return { status: response.status, headers: response.headers, body }
  }

  async request(
    change: Record<string, string | undefined> = {},
    proof?: ProofChange,
    headers?: Record<string, string>,
  ): Promise<Answer> {
    this.verifier = randomBytes(32).toString('base64url')
    const fields = {
      client_id: this.clientId,
      redirect_uri: redirect,
      response_type: 'code',
      scope: new URL(this.clientId).searchParams.get('scope') ?? 'atproto',
      state: 'the state',
      code_challenge: createHash('sha256').update(this.verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...(await this.authentication?.()),
      ...change,
    }
    const given = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined)
    if (this.nonce === undefined) await this.send('/oauth/par', { client_id: this.clientId })
    return this.send('/oauth/par', Object.fromEntries(given), proof, false, headers)
  }

  /** Pushes a request that the account allows. @returns the code */
  async code(account: Account, change?: Record<string, string>): Promise<string> {
    const id = await this.requestId(change)
    const decision = { id, isAllowed: true }
    const { status, body } = await server.post('com.core.oauth.decideRequest', decision, account)
    if (status !== 200) throw new Error(`decideRequest: ${status}`)
    return this.codeIn(body.location)
  }

  /** Pushes a request. @returns its id */
  async requestId(change?: Record<string, string>): Promise<string> {
    const { body } = await this.request(change)
    return body.request_uri.split(':').at(-1)
  }

  /** Returns the code of the last request. */
  codeIn(location: string): string {
    const code = answerIn(location).get('code') ?? ''
    this.#verifiers.set(code, this.verifier)
    return code
  }

  async exchange(code: string, change: Record<string, string> = {}, proof?: ProofChange): Promise<Answer> {
    const fields = {
      client_id: this.clientId,
      grant_type: 'authorization_code',
      code,
      code_verifier: this.#verifiers.get(code) ?? 'v'.repeat(43),
      redirect_uri: redirect,
      ...(await this.authentication?.()),
      ...change,
    }
    return this.send('/oauth/token', fields, proof)
  }

  async refresh(token: string, change: Record<string, string> = {}, proof?: ProofChange): Promise<Answer> {
    const fields = { client_id: this.clientId, grant_type: 'refresh_token', refresh_token: token }
    return this.send('/oauth/token', { ...fields, ...(await this.authentication?.()), ...change }, proof)
  }

  async signIn(account: Account): Promise<Tokens> {
    const { status, body } = await this.exchange(await this.code(account))
    if (status !== 200) throw new Error(`token: ${JSON.stringify(body)}`)
    return body
  }

  /** Calls a method with an access token. */
  async call(
    nsid: string,
    tokens: Pick<Tokens, 'access_token'>,
    options: {
      input?: object
      body?: Uint8Array<ArrayBuffer>
      query?: string
      proof?: ProofChange
      headers?: Record<string, string>
    } = {},
    isRepeated = false,
  ): Promise<Answer> {
    const { access_token: token } = tokens
    const { input, query = '', proof: change = {}, headers } = options
    const body = input ? JSON.stringify(input) : options.body
    const method = body === undefined ? 'GET' : 'POST'
    const url = `${issuer()}/xrpc/${nsid}`
    const ath = createHash('sha256').update(token).digest('base64url')
    const proof = await this.proof(method, url, { ...change, claims: { ath, ...change.claims } })
    const response = await fetch(url + query, {
      method,
      headers: {
        authorization: `DPoP ${token}`,
        ...(proof !== null && { dpop: proof }),
        ...(input && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    })
    const answer = await this.#read(response)
    const isOld = answer.body?.error === 'use_dpop_nonce' && options.proof === undefined
    return isOld && !isRepeated ? this.call(nsid, tokens, options, true) : answer
  }
}
