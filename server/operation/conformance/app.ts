/** An app that signs in by OAuth, up to the page of the server: a public client on this computer. */
import { hash } from 'node:crypto'
import { createSigningKey, publicKeyOf, signerOf } from '../../util/keys.ts'
import { randomBytes } from '../../util/random.ts'
import { systemTime } from '../../util/timers.ts'
import { expectStatus } from './answers.ts'
import { type Answer, expectUnlimited } from './http.ts'
import { shared, type Target } from './target.ts'
import { expect, shown } from './verdict.ts'

type Metadata = Readonly<Record<string, unknown>>

/** The two documents that an app reads first. @throws Failed */
export const resourceOf = shared(async (target: Target): Promise<Metadata> => {
  const answer = await target.send('/.well-known/oauth-protected-resource')
  return documentOf(answer)
})

export const issuerOf = shared(async (target: Target): Promise<Metadata> => {
  const { authorization_servers: servers } = await resourceOf(target)
  const [origin] = Array.isArray(servers) ? servers : []
  expect(typeof origin === 'string', `authorization_servers is ${shown(servers)}`)
  return documentOf(await target.send(`${origin}/.well-known/oauth-authorization-server`))
})

function documentOf(answer: Answer): Metadata {
  expectStatus(answer, 200)
  expect(typeof answer.json === 'object' && answer.json !== null, `${answer.asked} answered no JSON object`)
  return answer.json
}

export const redirect = 'http://127.0.0.1/callback'
export const clientId = `http://localhost?${new URLSearchParams({ redirect_uri: redirect, scope: 'atproto' })}`

/** Members of a pushed request to send in place of the right ones; undefined leaves one out. */
export type Changes = Readonly<Record<string, string | undefined>>

export interface App {
  /** Pushes a request for authorization. @param nonce of the proof; none if undefined, no proof if null */
  push(changes?: Changes, nonce?: string | null): Promise<Answer>
  /** Calls the endpoint for tokens. */
  token(form: Readonly<Record<string, string>>, nonce?: string): Promise<Answer>
  /** The nonce that the server asks for; undefined if it asks for none, which is a failure of `oauth.par.dpop-nonce` alone. */
  nonce(): Promise<string | undefined>
  /** Sends a form to an endpoint of the issuer's document. @param nonce as for `push` @param isAwaited as in `Ask` */
  send(endpoint: string, form: Changes, nonce?: string | null, isAwaited?: boolean): Promise<Answer>
  /** Returns a proof of possession. @param token that it is for */
  proof(method: string, url: string, nonce?: string, token?: string): string
}

export const appOf = shared(newApp)

/** Another app with a key of its own. */
export async function newApp(target: Target): Promise<App> {
  const metadata = await issuerOf(target)
  const { privateKey } = await createSigningKey()
  return createApp(target, metadata, privateKey)
}

function createApp(target: Target, metadata: Metadata, privateKey: Uint8Array): App {
  const sign = signerOf(privateKey)
  const point = publicKeyOf(privateKey)
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

  /** RFC 9449 §4.2. */
  const proof: App['proof'] = (method, url, nonce, token) => {
    const header = { typ: 'dpop+jwt', alg: 'ES256', jwk: { kty: 'EC', crv: 'P-256', x, y } }
    const iat = Math.floor(systemTime().getTime() / 1000)
    const claims = {
      jti: randomBytes(16).toString('hex'),
      htm: method,
      htu: url,
      iat,
      ...(nonce && { nonce }),
      ...(token !== undefined && { ath: hash('sha256', token, 'base64url') }),
    }
    const signed = `${encode(header)}.${encode(claims)}`
    return `${signed}.${Buffer.from(sign(Buffer.from(signed))).toString('base64url')}`
  }

  const send: App['send'] = async (endpoint, form, nonce, isAwaited = false) => {
    const url = metadata[endpoint]
    expect(typeof url === 'string', `${endpoint} is ${shown(url)}`)
    const given = Object.entries(form).filter((entry): entry is [string, string] => entry[1] !== undefined)
    const headers = nonce === null ? {} : { dpop: proof('POST', url, nonce) }
    const answer = await target.send(url, { form: Object.fromEntries(given), headers, isAwaited })
    expectUnlimited(answer)
    return answer
  }

  const push: App['push'] = (changes = {}, nonce) => {
    const verifier = randomBytes(32).toString('base64url')
    const form = {
      client_id: clientId,
      response_type: 'code',
      redirect_uri: redirect,
      scope: 'atproto',
      state: randomBytes(16).toString('hex'),
      code_challenge: hash('sha256', verifier, 'base64url'),
      code_challenge_method: 'S256',
      ...changes,
    }
    return send('pushed_authorization_request_endpoint', form, nonce)
  }

  return {
    ...{ push, send, proof },
    token: (form, nonce) => send('token_endpoint', { client_id: clientId, ...form }, nonce, true),
    nonce: async () => (await push()).headers.get('dpop-nonce') ?? undefined,
  }
}
