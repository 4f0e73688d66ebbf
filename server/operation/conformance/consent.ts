/**
 * The decision of a person on the request of an app, without a browser. Its page differs from server to server, so each has its own way
 * here; without one, what follows the decision is skipped.
 */
import { hash } from 'node:crypto'
import { randomBytes } from '../../util/random.ts'
import { type Account, accountOf } from './account.ts'
import { errorOf, outputOf } from './answers.ts'
import { type App, appOf, clientId, issuerOf, redirect } from './app.ts'
import type { Answer } from './http.ts'
import { shared, type Target } from './target.ts'
import { expect, expectSame, Skipped, shown } from './verdict.ts'

/** A request that was pushed. */
export interface Pushed {
  readonly app: App
  readonly state: string
  readonly verifier: string
  /** The page to which an app sends the browser. */
  readonly url: string
}

/** Pushes a request. @param scope what the app asks for @throws Failed, Skipped if apps of this computer are refused */
export async function pushRequest(target: Target, app: App, scope = 'atproto'): Promise<Pushed> {
  const { authorization_endpoint: page } = await issuerOf(target)
  const [state, verifier] = [randomBytes(16).toString('hex'), randomBytes(32).toString('base64url')]
  const changes = { state, scope, code_challenge: hash('sha256', verifier, 'base64url') }
  const { json, status, asked } = await app.push(changes, await app.nonce())
  // A failure of `oauth.par.dpop` alone.
  if (typeof json?.request_uri !== 'string')
    throw new Skipped(`the server refuses requests of apps on this computer: ${asked} answered ${status}`)
  const query = new URLSearchParams({ client_id: clientId, request_uri: json.request_uri })
  return { app, state, verifier, url: `${page}?${query}` }
}

type Decide = (target: Target, account: Account, page: Answer, isAllowed: boolean) => Promise<string>

/** By the path of the page to which the browser is redirected: this server. */
const byProcedure: Decide = async (target, account, page, isAllowed) => {
  const [, id = ''] = /#\/authorize\/(\w+)$/.exec(page.headers.get('location') ?? '') ?? []
  const input = { id, isAllowed }
  return outputOf(await target.call('com.core.oauth.decideRequest', { input, token: account.accessJwt }))
    .location
}

/** Opens the page of a request, and lets the account decide. @returns the URL of the app with the answer @throws Skipped */
export async function decide(target: Target, { url }: Pushed, isAllowed: boolean): Promise<URL> {
  const account = await accountOf(target)
  const page = await target.send(url, { headers: navigation })
  if (!/#\/authorize\/\w+$/.test(page.headers.get('location') ?? ''))
    throw new Skipped(`no way is known to answer the page of this server (${page.status}${errorOf(page)})`)
  return new URL(await byProcedure(target, account, page, isAllowed))
}

/** The headers of a browser that follows a link. */
const navigation = {
  accept: 'text/html',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
  'sec-fetch-site': 'cross-site',
}

/** Lets the account allow a request. @returns the members of the answer */
export async function allow(target: Target, pushed: Pushed): Promise<URLSearchParams> {
  const url = await decide(target, pushed, true)
  expectSame(`${url.origin}${url.pathname}`, redirect, 'the redirect')
  return url.searchParams
}

export interface Grant extends Pushed {
  readonly code: string
}

/** A code that was not used. */
export async function newGrant(target: Target, app?: App, scope?: string): Promise<Grant> {
  const pushed = await pushRequest(target, app ?? (await appOf(target)), scope)
  const code = (await allow(target, pushed)).get('code')
  expect(code, 'the answer has no code')
  return { ...pushed, code }
}

/** Exchanges a code for tokens. @param changes of the form */
export async function exchange(
  target: Target,
  grant: Grant,
  changes: Record<string, string> = {},
  app = grant.app,
): Promise<Answer> {
  const { code, verifier } = grant
  const form = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirect }
  return requestTokens(target, app, { ...form, ...changes })
}

/** Asks for tokens. Those that the server gives are revoked at the end. */
export async function requestTokens(
  target: Target,
  app: App,
  form: Readonly<Record<string, string>>,
): Promise<Answer> {
  const answer = await app.token(form, await app.nonce())
  const token: unknown = answer.json?.refresh_token
  if (typeof token === 'string') target.defer(async () => void (await revoke(target, app, token)))
  return answer
}

export interface AppTokens {
  readonly app: App
  readonly accessToken: string
  readonly refreshToken: string
  // biome-ignore lint/suspicious/noExplicitAny: as the server has answered it
  readonly answer: any
}

/** The tokens of an app that the account has allowed. They are revoked at the end, if the server has an endpoint for it. */
export const tokensOf = shared(async (target: Target): Promise<AppTokens> => {
  const grant = await newGrant(target)
  const answer = outputOf(await exchange(target, grant))
  const { access_token: accessToken, refresh_token: refreshToken } = answer
  expect(
    typeof accessToken === 'string' && typeof refreshToken === 'string',
    `the answer has ${shown(Object.keys(answer))}`,
  )
  target.defer(async () => {
    const isRevoked = await revoke(target, grant.app, refreshToken)
    if (!isRevoked) throw new Error('the server does not revoke the tokens of an app, which expire')
  })
  return { app: grant.app, accessToken, refreshToken, answer }
})

/** @returns whether the server has done it */
export async function revoke(target: Target, app: App, token: string): Promise<boolean> {
  const { revocation_endpoint: endpoint } = await issuerOf(target)
  if (!endpoint) return false
  const { status } = await app.send('revocation_endpoint', { client_id: clientId, token }, await app.nonce())
  return status === 200
}

export interface Proof {
  readonly scheme?: 'DPoP' | 'Bearer'
  /** Whose key signs the proof; no proof for null. */
  readonly app?: App | null
  /** The token that the proof is for. */
  readonly proven?: string
}

/** Calls a method with the token of an app, again with the nonce that the server asks for. */
export async function callAs(
  target: Target,
  nsid: string,
  tokens: Pick<AppTokens, 'app' | 'accessToken'>,
  { scheme = 'DPoP', app = tokens.app, proven = tokens.accessToken }: Proof = {},
  input?: object,
): Promise<Answer> {
  const url = `${target.url}/xrpc/${nsid}`
  const method = input ? 'POST' : 'GET'
  const send = (nonce?: string) =>
    target.call(nsid, {
      method,
      ...(input && { input }),
      headers: {
        authorization: `${scheme} ${tokens.accessToken}`,
        ...(app && { dpop: app.proof(method, url, nonce, proven) }),
      },
    })
  const first = await send()
  return first.json?.error === 'use_dpop_nonce' ? send(first.headers.get('dpop-nonce') ?? '') : first
}
