/** Decisions about the requests of apps: who may make them, and who gets the answer. */
import { describe, expect, test } from 'vitest'
import { answerIn, issuer, openPage } from '../../../support/accounts/oauth.ts'
import { App } from '../../../support/accounts/oauth-app.ts'
import { minute } from '../../../support/server/clock.ts'
import type { Account, Answer } from '../../../support/server/server.ts'
import { alice, bob, owner, server, setupAccounts } from '../../../support/server/setup.ts'

setupAccounts({ config: { publicUrl: undefined, trustedProxies: ['127.0.0.1'] }, accounts: ['first'] })

const core = (name: string, input: object, auth?: { accessJwt: string }) =>
  server.post(`com.core.oauth.${name}`, input, auth)
const allow = (id: string, auth: { accessJwt: string }, number?: number) =>
  core('decideRequest', { id, isAllowed: true, number }, auth)
const deny = (id: string, auth: { accessJwt: string }) =>
  core('decideRequest', { id, isAllowed: false }, auth)
const read = (id: string) => server.get('com.core.oauth.getRequest', { id })
const wait = async (id: string): Promise<number> => (await core('waitForApproval', { id })).body.number
async function listed(account: Account): Promise<{ id: string; scope: string }[]> {
  return (await server.get('com.core.oauth.listRequests', {}, account)).body.requests
}
const failed = ({ status, body }: Answer) => [status, body.error]

describe('the answer', () => {
  test('goes to the session that decided; the id of the request gives it to no other caller', async () => {
    const app = await App.create()
    const id = await app.requestId()
    const { status, body } = await allow(id, alice)
    expect(status).toBe(200)
    // The app compares it with the server that it asked (RFC 9207).
    expect(answerIn(body.location).get('iss')).toBe(issuer())
    for (const caller of [undefined, bob, owner]) {
      expect((await core('decideRequest', { id, isAllowed: true }, caller)).body.location).toBeUndefined()
      expect((await core('declineSilentRequest', { id }, caller)).body.location).toBeUndefined()
      expect((await core('getAnswer', { id }, caller)).body.location).toBeUndefined()
    }
    expect(failed(await read(id))).toEqual([400, 'RequestNotFound'])
    expect(failed(await core('waitForApproval', { id }))).toEqual([400, 'RequestNotFound'])
    expect((await app.exchange(app.codeIn(body.location))).body.sub).toBe(alice.did)
  })

  test('that was lost is returned again to the same account, until its code is exchanged', async () => {
    const app = await App.create()
    const id = await app.requestId()
    const { location } = (await allow(id, alice)).body
    await server.restart()
    const again = (await allow(id, alice)).body.location
    expect(answerIn(again).get('code')).toBe(answerIn(location).get('code'))
    expect((await app.exchange(app.codeIn(location))).status).toBe(200)
    expect(failed(await allow(id, alice))).toEqual([400, 'RequestNotFound'])
  })

  test('that is repeated does not prolong the two minutes of its code', async () => {
    const app = await App.create()
    const id = await app.requestId()
    const { location } = (await allow(id, alice)).body
    server.clock.advance(minute)
    expect((await allow(id, alice)).status).toBe(200)
    server.clock.advance(minute)
    expect(failed(await allow(id, alice))).toEqual([400, 'RequestNotFound'])
    expect((await app.exchange(app.codeIn(location))).body.error).toBe('invalid_grant')
  })

  test('of a denial after an approval takes the code back, and is final', async () => {
    const app = await App.create()
    const id = await app.requestId()
    const { location } = (await allow(id, alice)).body
    expect(answerIn((await deny(id, alice)).body.location).get('error')).toBe('access_denied')
    expect((await app.exchange(app.codeIn(location))).body.error).toBe('invalid_grant')
    expect(failed(await allow(id, alice))).toEqual([400, 'RequestNotFound'])
  })

  test('needs a full session', async () => {
    const app = await App.create()
    const id = await app.requestId()
    expect((await core('decideRequest', { id, isAllowed: true })).status).toBe(401)
    expect((await allow(id, await server.appSession(alice, 'app'))).body.error).toBe('InvalidToken')
  })
})

describe('a request', () => {
  test('expires an hour after its push, also if it is shown and waits', async () => {
    const app = await App.create()
    const id = await app.requestId()
    server.clock.advance(59 * minute)
    expect((await read(id)).status).toBe(200)
    await wait(id)
    server.clock.advance(minute)
    expect(failed(await read(id))).toEqual([400, 'RequestNotFound'])
    expect(failed(await allow(id, alice))).toEqual([400, 'RequestNotFound'])
  })

  test.each([
    ['handle', ({ handle }: Account) => `@${handle.toUpperCase()}`],
    ['DID', ({ did }: Account) => did],
    ['email address', ({ email }: Account) => email.toUpperCase()],
  ])('belongs to the account that its %s names', async (_, hintOf) => {
    const app = await App.create()
    const id = await app.requestId({ login_hint: hintOf(alice) })
    await wait(id)
    expect(await listed(bob)).toEqual([])
    expect(await listed(owner)).toEqual([])
    expect(await listed(alice)).toHaveLength(1)
    expect(failed(await allow(id, bob))).toEqual([400, 'WrongAccount'])
    expect(failed(await deny(id, owner))).toEqual([400, 'WrongAccount'])
    expect((await allow(id, alice)).status).toBe(200)
  })

  test('for an account of another server is hidden from every account here', async () => {
    const id = await (await App.create()).requestId({ login_hint: 'elsewhere.example' })
    await wait(id)
    expect(await listed(owner)).toEqual([])
    expect(failed(await allow(id, owner))).toEqual([400, 'WrongAccount'])
  })

  test('that names no account is listed for the owner at this computer; on its page any account allows it', async () => {
    const id = await (await App.create()).requestId()
    await wait(id)
    expect(await listed(alice)).toEqual([])
    const [waiting] = await listed(owner)
    const elsewhere = { authorization: `Bearer ${owner.accessJwt}`, origin: 'https://client.example' }
    const answer = await server.fetch('/xrpc/com.core.oauth.listRequests', { headers: elsewhere })
    expect(answer.body).toEqual({ requests: [] })
    expect(failed(await allow(waiting?.id ?? '', alice))).toEqual([400, 'RequestNotFound'])
    const { body } = await server.fetch('/xrpc/com.core.oauth.decideRequest', {
      method: 'POST',
      headers: {
        authorization: `Bearer ${owner.accessJwt}`,
        'content-type': 'application/json',
        'x-forwarded-for': '203.0.113.9',
      },
      body: JSON.stringify({ id: waiting?.id, isAllowed: false }),
    })
    expect(body.error).toBe('RequestNotFound')
    expect((await allow(id, alice)).status).toBe(200)
    expect(await listed(owner)).toEqual([])
  })

  test('is listed in the order in which they began to wait, without its number and its id', async () => {
    const app = await App.create()
    const hint = { login_hint: alice.did }
    // Pushed first, so that it could come before a dialog that is open by then.
    const earlier = await app.requestId(hint)
    await read(earlier)
    server.clock.advance(1)
    const own = await app.requestId({ ...hint, scope: 'atproto' })
    await wait(own)
    server.clock.advance(1)
    await wait(earlier)
    const list = await listed(alice)
    expect(list.map(({ scope }) => scope)).toEqual(['atproto', 'atproto transition:generic'])
    expect(list[0]).not.toHaveProperty('number')
    expect([own, earlier]).not.toContain(list[0]?.id)
  })
})

test.each([
  ['of one network hide none of another', "'network'", { 'x-forwarded-for': '198.51.100.7' }],
  ['of many networks hide none that a browser of this computer shows', "'network ' || n", {}],
])('60 requests of other people that wait %s', async (_, network, headers: Record<string, string>) => {
  const app = await App.create()
  const hint = { login_hint: alice.did }
  const strange = await app.requestId(hint)
  const post = (id: string) =>
    server.fetch('/xrpc/com.core.oauth.waitForApproval', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ id }),
    })
  await post(strange)
  await server.running.services.store.transact((tx) => {
    tx.run("DELETE FROM oauth_requests WHERE id LIKE 'waiting %'")
    tx.run(
      `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 60)
       INSERT INTO oauth_requests (id, source, network, client_id, dpop_key, login_hint, parameters, created_at, expires_at,
         approval_id, waiting_at, number)
       SELECT 'waiting ' || n, CAST('source ' || n AS BLOB), CAST(${network} AS BLOB), client_id, dpop_key, login_hint,
         json_set(parameters, '$.codeChallenge', 'waiting ' || n), created_at, expires_at, 'waiting ' || n, waiting_at, number
       FROM oauth_requests, numbers WHERE id = ?`,
      [strange],
    )
    tx.run('DELETE FROM oauth_requests WHERE id = ?', [strange])
  })
  server.clock.advance(1)
  await post(await app.requestId({ ...hint, scope: 'atproto' }))
  const list = await listed(alice)
  expect(list).toHaveLength(50)
  expect(list.slice(0, 2).map(({ scope }) => scope)).toContain('atproto')
})

describe('an approval in the app window', () => {
  async function waiting() {
    const app = await App.create()
    const id = await app.requestId({ login_hint: alice.did })
    const number = await wait(id)
    const [request] = await listed(alice)
    return { app, id, number, approval: request?.id ?? '' }
  }

  test('needs the number that the browser shows; the decider gets the code', async () => {
    const { app, number, id, approval } = await waiting()
    expect(await wait(id)).toBe(number)
    const { body } = await allow(approval, alice, number)
    expect((await app.exchange(app.codeIn(body.location))).body.sub).toBe(alice.did)
  })

  test.each([
    ['a wrong number', (number: number) => (number === 99 ? 10 : number + 1)],
    ['no number', () => undefined],
  ])('with %s denies the request', async (_, change) => {
    const { id, number, approval } = await waiting()
    expect(failed(await allow(approval, alice, change(number)))).toEqual([400, 'WrongNumber'])
    expect(failed(await allow(approval, alice, number))).toEqual([400, 'RequestNotFound'])
    expect(failed(await allow(id, alice))).toEqual([400, 'RequestNotFound'])
    expect(await listed(alice)).toEqual([])
  })

  test('needs no number to deny', async () => {
    const { id, approval } = await waiting()
    expect((await deny(approval, alice)).status).toBe(200)
    expect(failed(await read(id))).toEqual([400, 'RequestNotFound'])
  })
})

describe('pages of other sites', () => {
  const page = { origin: 'https://evil.example' }
  const post = (name: string, input: object, headers: Record<string, string>) =>
    server.fetch(`/xrpc/com.core.oauth.${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(input),
    })

  test('can neither read requests nor make one wait, also with a token', async () => {
    const id = await (await App.create()).requestId()
    for (const headers of [page, { ...page, authorization: `Bearer ${alice.accessJwt}` }]) {
      expect((await server.fetch(`/xrpc/com.core.oauth.getRequest?id=${id}`, { headers })).status).toBe(403)
      expect((await post('waitForApproval', { id }, headers)).status).toBe(403)
    }
    expect(await listed(owner)).toEqual([])
  })

  test('cannot push requests in the name of apps on loopback; pages on loopback can', async () => {
    const app = await App.create()
    const web = await app.request({}, undefined, page)
    expect(failed(web)).toEqual([400, 'invalid_client'])
    expect(failed(await app.request({}, undefined, { origin: 'null' }))).toEqual([400, 'invalid_client'])
    expect((await app.request({}, undefined, { origin: 'http://127.0.0.1:5173' })).status).toBe(201)
  })
})

test('a request for an app on loopback from another computer is not shown as one of this computer', async () => {
  const view = async (headers: Record<string, string>) => {
    const { body } = await (await App.create()).request({}, undefined, headers)
    return (await read(body.request_uri.split(':').at(-1))).body
  }
  expect(await view({})).toMatchObject({ isLocal: true, isFromHere: true })
  expect(await view({ 'x-forwarded-for': '203.0.113.9' })).toMatchObject({ isLocal: true, isFromHere: false })
})

describe('a client that asks', () => {
  test.each([
    ['for a new sign-in', { prompt: 'login' }],
    ['for a sign-in of the last minute', { max_age: '60' }],
  ])('%s gets a code only from such a session', async (_, change) => {
    server.clock.advance(2 * minute)
    const app = await App.create()
    const id = await app.requestId(change)
    server.clock.advance(1)
    expect(failed(await allow(id, alice))).toEqual([400, 'SignInRequired'])
    expect(failed(await core('waitForApproval', { id }))).toEqual([400, 'SignInRequired'])
    const fresh = (await server.signIn(alice)).body
    expect((await allow(id, fresh)).status).toBe(200)
  })

  test('for an old enough sign-in gets a code from an older session', async () => {
    const app = await App.create()
    server.clock.advance(minute)
    expect((await allow(await app.requestId({ max_age: '3600' }), alice)).status).toBe(200)
    expect((await allow(await app.requestId({ max_age: '999999999999999' }), alice)).status).toBe(200)
  })

  test('for a new account is refused: the server does not advertise it', async () => {
    const { status, body } = await (await App.create()).request({ prompt: 'create' })
    expect([status, body.error]).toEqual([400, 'invalid_request'])
  })

  test('with prompt=none gets its error only from an account that has allowed it before', async () => {
    const app = await App.create()
    const silent = () => app.requestId({ prompt: 'none' })
    const decline = async (id: string, auth: Account) =>
      (await core('declineSilentRequest', { id }, auth)).body
    const first = await silent()
    expect((await read(first)).body.isSilent).toBe(true)
    expect(await decline(first, alice)).toEqual({})
    expect((await allow(first, alice)).status).toBe(200)

    await app.signIn(alice)
    expect(await decline(await silent(), bob)).toEqual({})
    const second = await silent()
    expect(answerIn((await decline(second, alice)).location).get('error')).toBe('consent_required')
    expect(failed(await allow(second, alice))).toEqual([400, 'RequestNotFound'])
    const late = await app.requestId({ prompt: 'none', max_age: '0' })
    expect(answerIn((await decline(late, alice)).location).get('error')).toBe('login_required')
    const usual = await app.requestId()
    expect((await decline(usual, alice)).error).toBe('RequestNotFound')
  })

  test('with prompt=none leads a browser without a session to the page', async () => {
    const app = await App.create()
    const { body } = await app.request({ prompt: 'none' })
    const query = new URLSearchParams({ client_id: app.clientId, request_uri: body.request_uri })
    expect(await openPage(`${issuer()}/oauth/authorize?${query}`)).toBe(body.request_uri.split(':').at(-1))
  })
})

test('a code_challenge is good for one request', async () => {
  const app = await App.create()
  const code_challenge = 'c'.repeat(43)
  expect((await app.request({ code_challenge })).status).toBe(201)
  expect(failed(await app.request({ code_challenge }))).toEqual([400, 'invalid_request'])
})

test.each(['http://127.0.0.1:8080/callback', 'http://[::1]:8080/callback'])(
  'the port of a redirect to loopback may differ from the declared one: %s',
  async (redirect_uri) => {
    const query = new URLSearchParams({ redirect_uri, scope: 'atproto' })
    const app = await App.create('atproto', `http://localhost?${query}`)
    const push = (uri: string) => app.request({ redirect_uri: uri })
    expect((await push(redirect_uri.replace('8080', '9090'))).status).toBe(201)
    expect((await push(redirect_uri.replace(':8080', ''))).status).toBe(201)
    expect((await push(redirect_uri.replace('callback', 'other'))).body.error).toBe('invalid_redirect_uri')
  },
)

describe('open requests are bounded', () => {
  const from = (address: string) => ({ 'x-forwarded-for': address })

  test('per source: a further one replaces the oldest of the same source, and keeps those of others', async () => {
    const app = await App.create()
    const honest = (await app.request()).body.request_uri.split(':').at(-1)
    const push = async (last: number) =>
      (await app.request({}, undefined, from(`203.0.113.${last}`))).body.request_uri.split(':').at(-1)
    const ids: string[] = []
    for (let count = 0; count < 51; count++) ids.push(await push(1))
    const found = await Promise.all(
      [honest, ids[0], ids[1], ids[50]].map(async (id) => (await read(id)).status),
    )
    expect(found).toEqual([200, 400, 200, 200])
  })

  test.each([
    ['source', "'source ' || (n / 50)", "'network ' || (n / 50)"],
    ['network, in which each has another source,', "'source ' || n", "'network'"],
  ])('in all: a full table drops the oldest of the %s with most requests', async (_, source, network) => {
    const app = await App.create()
    const honest = (await app.request()).body.request_uri.split(':').at(-1)
    const { store } = server.running.services
    await store.transact((tx) => {
      tx.run('DELETE FROM oauth_requests WHERE id <> ?', [honest])
      tx.run("UPDATE oauth_requests SET source = x'00' WHERE id = ?", [honest])
      tx.run(
        `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2000)
         INSERT INTO oauth_requests (id, source, network, client_id, dpop_key, parameters, created_at, expires_at)
         SELECT 'request ' || n, CAST(${source} AS BLOB), CAST(${network} AS BLOB), client_id, dpop_key,
           json_set(parameters, '$.codeChallenge', n), created_at, expires_at
         FROM oauth_requests, numbers WHERE id = ?`,
        [honest],
      )
    })
    expect((await app.request()).status).toBe(201)
    expect((await read(honest)).status).toBe(200)
    await store.transact((tx) => tx.run("DELETE FROM oauth_requests WHERE id LIKE 'request %'"))
  })
})
