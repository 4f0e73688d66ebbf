/** Hostile and mistaken requests: none yields a token, none fails with 500. */
import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { issuer } from '../../../support/accounts/oauth.ts'
import { App, type ProofChange, redirect, type Tokens } from '../../../support/accounts/oauth-app.ts'
import { owner, server, setupServer } from '../../../support/server/setup.ts'

setupServer({ config: { publicUrl: undefined }, accounts: ['alice', 'bob'] })

let app: App
beforeAll(async () => {
  app = await App.create()
})

const long = 'x'.repeat(20_000)
const client = (query: string) => `http://localhost?${query}`

describe('a pushed request is refused', () => {
  test.each<[string, Record<string, string | undefined>]>([
    ['without a client', { client_id: undefined }],
    ['of a client that is no URL', { client_id: 'app' }],
    ['of a client with a path on localhost', { client_id: 'http://localhost/app' }],
    ['of a client with a port on localhost', { client_id: 'http://localhost:8080' }],
    ['of a client on http', { client_id: 'http://app.example.com/client.json' }],
    ['of a client on an IP address', { client_id: 'https://127.0.0.1/client.json' }],
    ['of a client in this network', { client_id: 'https://router.local/client.json' }],
    ['of a client without a path', { client_id: 'https://app.example.com/' }],
    ['of a client with credentials', { client_id: 'https://a:b@app.example.com/client.json' }],
    ['of a client with a fragment', { client_id: 'https://app.example.com/client.json#x' }],
    ['of a client with dots in its path', { client_id: 'https://app.example.com/a/../client.json' }],
    ['of a client that cannot be fetched', { client_id: 'https://app.example.com/client.json' }],
    ['of a client with a very long id', { client_id: `https://app.example.com/${long}` }],
    ['of a script', { client_id: 'javascript:alert(1)' }],
    ['of a local client with an unknown parameter', { client_id: client('x=1') }],
    ['of a local client without atproto', { client_id: client('scope=transition:generic') }],
    ['of a local client that returns elsewhere', { client_id: client('redirect_uri=https://evil.example/') }],
    [
      'of a local client on localhost by name',
      { client_id: client('redirect_uri=http://localhost/callback') },
    ],
    ['without a redirect URI', { redirect_uri: undefined }],
    ['with a redirect URI that is not declared', { redirect_uri: 'http://127.0.0.1/other' }],
    ['with a redirect URI of another host', { redirect_uri: 'https://evil.example/callback' }],
    ['with a redirect URI that begins alike', { redirect_uri: 'http://127.0.0.1/callback.evil' }],
    ['with a redirect URI with credentials', { redirect_uri: 'http://127.0.0.1@evil.example/callback' }],
    [
      'with a redirect URI on a host that begins alike',
      { redirect_uri: 'http://127.0.0.1.evil.example/callback' },
    ],
    ['with a script as redirect URI', { redirect_uri: 'javascript:alert(1)//callback' }],
    ['with data as redirect URI', { redirect_uri: 'data:text/html,x' }],
    ['with a fragment in the redirect URI', { redirect_uri: `${redirect}#x` }],
    ['with a redirect URI with a port that does not exist', { redirect_uri: 'https://a.example:99999/' }],
    ['without a response type', { response_type: undefined }],
    ['for a token at once', { response_type: 'token' }],
    ['for an identity token', { response_type: 'code id_token' }],
    ['without a scope', { scope: undefined }],
    ['with an empty scope', { scope: '' }],
    ['without atproto', { scope: 'transition:generic' }],
    ['with a scope that is not declared', { scope: 'atproto transition:chat.bsky' }],
    ['with a malformed scope', { scope: 'atproto "quoted"' }],
    ['with a hint that is a sentence', { login_hint: 'alice. Enter your password at evil.example' }],
    ['with a hint with a mark of direction', { login_hint: 'alice.test\u202e' }],
    ['with a hint with a line break', { login_hint: 'alice.test\nbob.test' }],
    ['with a hint that begins like a DID', { login_hint: 'did:plc:abc your session has ended' }],
    ['with a hint that has words before an email address', { login_hint: 'write to a@evil.example' }],
    ['with a very long scope', { scope: `atproto ${long}` }],
    ['without PKCE', { code_challenge: undefined, code_challenge_method: undefined }],
    ['without a code challenge', { code_challenge: undefined }],
    ['with a plain code challenge', { code_challenge_method: 'plain' }],
    ['without the method of the challenge', { code_challenge_method: undefined }],
    ['with a short code challenge', { code_challenge: 'short' }],
    ['with a long code challenge', { code_challenge: long }],
    ['with an unknown response mode', { response_mode: 'form_post' }],
    ['with a request object', { request: 'eyJhbGciOiJub25lIn0.e30.' }],
    ['with a request URI', { request_uri: 'https://evil.example/request' }],
    ['with authorization details', { authorization_details: '[]' }],
    ['with claims', { claims: '{}' }],
    ['with an identity token', { id_token_hint: 'a.b.c' }],
    ['with the key of another proof', { dpop_jkt: 'x'.repeat(43) }],
    ['with a client secret', { client_secret: 'secret' }],
    ['with an assertion of a public client', { client_assertion: 'a.b.c' }],
    ['with a very long state', { state: long }],
    ['with a very long hint', { login_hint: long }],
    ['with an unknown prompt', { prompt: 'whatever' }],
  ])('%s', async (_, change) => {
    const { status, body } = await app.request(change)
    expect([status >= 400 && status < 500, typeof body.error]).toEqual([true, 'string'])
    expect(body.request_uri).toBeUndefined()
  })

  const bodies: [string, string, string, number][] = [
    ['as text', 'text/plain', 'client_id=x', 400],
    ['as a JSON array', 'application/json', '[]', 400],
    ['as malformed JSON', 'application/json', '{', 400],
    ['without a body', 'application/json', '', 400],
    ['with a repeated field', 'application/x-www-form-urlencoded', 'client_id=a&client_id=b', 400],
    ['with more than 32 KiB', 'application/x-www-form-urlencoded', `client_id=${'x'.repeat(40_000)}`, 413],
  ]
  test.each(bodies)('%s', async (_, type, body, status) => {
    const response = await fetch(`${issuer()}/oauth/par`, {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    })
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ error: expect.any(String) })
  })
})

test.each([
  ['with letters that look like others', 'https://аррӏе.com/client.json'],
  ['in capital letters', 'https://APP.example.com/client.json'],
])('a client %s is refused before its document is fetched', async (_, id) => {
  const { status, body } = await app.request({ client_id: id })
  expect([status, body.error_description]).toEqual([
    400,
    'client_id must be written as browsers write the URL',
  ])
})

test.each([
  ['with malformed escapes', 'rpc:%ZZ?aud=*'],
  ['with a space that is no ASCII letter', 'blob:image/png,%C2%A0nothing'],
  ['with a mark of direction', 'blob:image/png%E2%80%AE'],
  ['with brackets', 'blob:image/png),all-safe('],
])('a scope %s is left out', async (_, scope) => {
  const id = await (await App.create(`atproto ${scope}`)).requestId()
  const { body } = await server.get('com.core.oauth.getRequest', { id })
  expect(body.scope).toBe('atproto')
})

test('other verbs are named, and documents answer any origin', async () => {
  for (const path of ['/oauth/par', '/oauth/token', '/oauth/revoke']) {
    const { status, headers } = await fetch(issuer() + path)
    expect([path, status, headers.get('allow')]).toEqual([path, 405, 'POST'])
  }
  for (const path of [
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-authorization-server',
    '/oauth/jwks',
  ]) {
    const { status, headers, redirected } = await fetch(issuer() + path)
    expect([status, headers.get('access-control-allow-origin'), redirected]).toEqual([200, '*', false])
  }
})

const proofs: [string, ProofChange][] = [
  ['without a proof', { text: null }],
  ['with a proof that is no token', { text: 'proof' }],
  ['with an empty proof', { text: '' }],
  ['with a very long proof', { text: 'x'.repeat(10_000) }],
  [
    'with an unsigned proof',
    { text: `${Buffer.from('{"alg":"none","typ":"dpop+jwt"}').toString('base64url')}.e30.` },
  ],
  ['with a proof of another type', { header: { typ: 'JWT' } }],
  ['with a proof without a key', { header: { jwk: undefined } }],
  ['with a proof with another key', { header: { jwk: { kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA' } } }],
  ['with a symmetric key in the proof', { header: { jwk: { kty: 'oct', k: 'AAAA' } } }],
  ['with a proof for another method', { claims: { htm: 'PUT' } }],
  ['with a proof for another path', { claims: { htu: 'http://localhost/oauth/other' } }],
  ['with a proof for another host', { claims: { htu: 'https://evil.example/oauth/par' } }],
  ['with a proof without a URL', { claims: { htu: undefined } }],
  ['with a proof with a number as URL', { claims: { htu: 1 } }],
  ['with a proof without an id', { claims: { jti: undefined } }],
  ['with a proof with a long id', { claims: { jti: 'x'.repeat(300) } }],
  ['with a proof without a nonce', { claims: { nonce: undefined } }],
  ['with a proof with an old nonce', { claims: { nonce: 'x'.repeat(43) } }],
  ['with a proof with an empty nonce', { claims: { nonce: '' } }],
  ['with a proof with a list as nonce', { claims: { nonce: [] } }],
  ['with a proof for an access token', { claims: { ath: 'x'.repeat(43) } }],
]

describe('a request to the authorization server is refused', () => {
  test.each(proofs)('%s', async (_, change) => {
    const pushed = await app.request({}, change)
    expect(pushed.status).toBe(400)
    expect(pushed.body.error).toMatch(/^(?:invalid_dpop_proof|use_dpop_nonce)$/)
    const code = await app.code(owner)
    const exchanged = await app.exchange(code, {}, change)
    expect([exchanged.status, exchanged.body.access_token]).toEqual([400, undefined])
  })

  test('with a proof that was used before', async () => {
    await app.request()
    const text = await app.proof('POST', `${issuer()}/oauth/par`)
    expect((await app.request({}, { text })).status).toBe(201)
    expect((await app.request({}, { text })).body.error).toBe('invalid_dpop_proof')
  })

  test('the first one gets a nonce', async () => {
    const fresh = await App.create()
    const { status, body, headers } = await fresh.send('/oauth/par', { client_id: fresh.clientId })
    expect([status, body.error]).toEqual([400, 'use_dpop_nonce'])
    expect(headers.get('dpop-nonce')).toMatch(/^[\w-]{43}$/)
    expect(headers.get('access-control-expose-headers')).toContain('DPoP-Nonce')
  })
})

describe('a call with an access token is refused', () => {
  let tokens: Tokens
  beforeAll(async () => {
    tokens = await app.signIn(owner)
  })

  test.each(proofs.filter(([name]) => !name.includes('for an access token')))('%s', async (_, proof) => {
    const { status, body, headers } = await app.call('com.atproto.server.getSession', tokens, { proof })
    expect([status, body.did]).toEqual([401, undefined])
    expect(headers.get('www-authenticate')).toMatch(/^DPoP .*error="(?:invalid_dpop_proof|use_dpop_nonce)"/)
    expect(headers.get('dpop-nonce')).toMatch(/^[\w-]{43}$/)
  })

  test('with a proof for another token, or for none', async () => {
    for (const ath of [undefined, createHash('sha256').update('x').digest('base64url')]) {
      const answer = await app.call('com.atproto.server.getSession', tokens, { proof: { claims: { ath } } })
      expect([answer.status, answer.body.error]).toEqual([401, 'invalid_dpop_proof'])
    }
  })

  test('with a proof of another key', async () => {
    const thief = await App.create()
    thief.nonce = app.nonce
    const answer = await thief.call('com.atproto.server.getSession', tokens)
    expect([answer.status, answer.body.error]).toEqual([401, 'invalid_token'])
  })

  test('as a bearer token, as a refresh token, and for the sign-out of others', async () => {
    const bearer = { accessJwt: tokens.access_token }
    expect((await server.get('com.core.server.getSession', {}, bearer)).body.error).toBe('InvalidToken')
    expect((await server.post('com.core.server.refreshSession', undefined, bearer)).status).toBe(400)
    expect((await server.post('com.core.server.deleteSession', undefined, bearer)).body.error).toBe(
      'InvalidToken',
    )
    expect((await app.call('com.atproto.server.getSession', tokens)).status).toBe(200)
  })

  test('with a session token under the DPoP scheme, and with a forged one', async () => {
    for (const access_token of [owner.accessJwt, owner.refreshJwt, 'a.b.c', `${tokens.access_token}x`]) {
      const answer = await app.call('com.atproto.server.getSession', { access_token })
      expect([answer.status, answer.body.error]).toEqual([401, 'invalid_token'])
    }
  })

  test('after its use: a proof counts once', async () => {
    const ath = createHash('sha256').update(tokens.access_token).digest('base64url')
    const text = await app.proof('GET', `${issuer()}/xrpc/com.atproto.server.getSession`, { claims: { ath } })
    expect((await app.call('com.atproto.server.getSession', tokens, { proof: { text } })).status).toBe(200)
    expect((await app.call('com.atproto.server.getSession', tokens, { proof: { text } })).status).toBe(401)
  })

  test('a proof of before a restart counts no more, while tokens and codes live on', async () => {
    const code = await app.code(owner)
    const ath = createHash('sha256').update(tokens.access_token).digest('base64url')
    await server.restart()
    const text = await app.proof('GET', `${issuer()}/xrpc/com.atproto.server.getSession`, { claims: { ath } })
    const old = await app.call('com.atproto.server.getSession', tokens, { proof: { text } })
    expect([old.status, old.body.error]).toEqual([401, 'use_dpop_nonce'])
    expect((await app.call('com.atproto.server.getSession', tokens)).status).toBe(200)
    expect((await app.exchange(code)).status).toBe(200)
  })
})
