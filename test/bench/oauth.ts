/** `npm run bench -- oauth`: getSession by an app (DPoP) beside the same with a bearer token, and the memory of the first sign-in of an app. */
import { createHash, randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { Client } from './client.ts'
import { folder } from './folders.ts'
import { createAccount } from './operations.ts'
import { Measured } from './processes.ts'
import { table } from './table.ts'

const issuer = 'http://localhost:2583'
const redirect = 'http://127.0.0.1/callback'
const scope = 'atproto transition:generic'
const clientId = `http://localhost?${new URLSearchParams({ redirect_uri: redirect, scope })}`
const verifier = 'v'.repeat(43)
const getSession = '/xrpc/com.core.server.getSession'
const connections = 10
const callsPerRound = 3_000
const rounds = 7

type Headers = Record<string, string>

export async function benchOAuth(): Promise<void> {
  await using pds = await Measured.pds(await folder())
  using client = new Client(pds.url)
  const { accessJwt } = await createAccount(client, 'alice')
  const bearer = () => ({ authorization: `Bearer ${accessJwt}` })
  await load(pds, Array.from({ length: callsPerRound }, bearer))
  const before = pds.residentMegabytes()
  const app = await signIn(pds.url, accessJwt)
  const after = pds.residentMegabytes()

  const pairs: { bearer: Load; app: Load }[] = []
  for (let round = 0; round < rounds; round++) {
    // Signed in advance: the client must not be what is measured.
    const proven = await app.headers(callsPerRound)
    const bearerLoad = await load(pds, Array.from({ length: callsPerRound }, bearer))
    pairs.push({ bearer: bearerLoad, app: await load(pds, proven) })
  }
  const ratio = (pair: (typeof pairs)[number]) => pair.app.perSecond / pair.bearer.perSecond
  const median = pairs.toSorted((a, b) => ratio(a) - ratio(b))[rounds >> 1]
  if (!median) return
  table('getSession at 10 connections', [
    { '': 'bearer token', 'per second': median.bearer.perSecond, 'CPU µs': median.bearer.cpu },
    { '': 'DPoP', 'per second': median.app.perSecond, 'CPU µs': median.app.cpu },
    { '': 'ratio', 'per second': ratio(median), 'CPU µs': median.app.cpu / median.bearer.cpu },
  ])
  table('resident memory', [
    { '': 'before the first app', MB: before },
    { '': 'after its sign-in', MB: after },
    { '': 'after the calls', MB: pds.residentMegabytes() },
  ])
}

interface Load {
  readonly perSecond: number
  /** Microseconds of the server's CPU per call. */
  readonly cpu: number
}

/** Calls getSession once with each of the headers. */
async function load(pds: Measured, headers: readonly Headers[]): Promise<Load> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const cpu = pds.cpuMicroseconds()
  const start = performance.now()
  let next = 0
  const connection = async () => {
    for (let own = headers[next++]; own; own = headers[next++]) await get(pds.url, own, agent)
  }
  await Promise.all(Array.from({ length: connections }, connection))
  const seconds = (performance.now() - start) / 1000
  agent.destroy()
  return { perSecond: headers.length / seconds, cpu: (pds.cpuMicroseconds() - cpu) / headers.length }
}

function get(url: string, headers: Headers, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    request(url + getSession, { headers, agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`getSession: ${response.statusCode}`))
      response.resume().once('end', resolve)
    })
      .once('error', reject)
      .end()
  })
}

/** Signs an app in, as its client library, the page and the account do it. */
async function signIn(url: string, accessJwt: string) {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = await exportJWK(publicKey)
  let nonce: string | undefined
  const prove = (htm: string, htu: string, claims: object = {}) =>
    new SignJWT({ jti: randomUUID(), htm, htu, nonce, ...claims })
      .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
      .setIssuedAt()
      .sign(privateKey)
  const post = async (path: string, fields: Headers): Promise<Record<string, string>> => {
    const headers = { dpop: await prove('POST', issuer + path) }
    const response = await fetch(url + path, { method: 'POST', headers, body: new URLSearchParams(fields) })
    nonce = response.headers.get('dpop-nonce') ?? nonce
    return (await response.json()) as Record<string, string>
  }
  const call = async (nsid: string, input: object): Promise<Record<string, string>> => {
    const headers = { authorization: `Bearer ${accessJwt}`, 'content-type': 'application/json' }
    const body = JSON.stringify(input)
    const response = await fetch(`${url}/xrpc/${nsid}`, { method: 'POST', headers, body })
    return JSON.parse((await response.text()) || '{}')
  }
  await post('/oauth/par', { client_id: clientId })
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const { request_uri: uri = '' } = await post('/oauth/par', {
    ...{ client_id: clientId, redirect_uri: redirect, response_type: 'code', scope },
    ...{ code_challenge: challenge, code_challenge_method: 'S256' },
  })
  const id = uri.split(':').at(-1)
  const { location = '' } = await call('com.core.oauth.decideRequest', { id, isAllowed: true })
  const { access_token: token = '' } = await post('/oauth/token', {
    ...{ client_id: clientId, grant_type: 'authorization_code', redirect_uri: redirect },
    ...{ code: new URL(location).searchParams.get('code') ?? '', code_verifier: verifier },
  })
  const ath = createHash('sha256').update(token).digest('base64url')
  return {
    async headers(count: number): Promise<Headers[]> {
      await post('/oauth/par', {})
      const proofs = Array.from({ length: count }, () => prove('GET', issuer + getSession, { ath }))
      return (await Promise.all(proofs)).map((dpop) => ({ authorization: `DPoP ${token}`, dpop }))
    },
  }
}
