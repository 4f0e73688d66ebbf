/** `/dev`: a network for tests as JSON over HTTP. */
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type LexiconDoc, Lexicons } from '@atproto/lexicon'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { paths } from '../../../server/testing/control/routes.ts'
import { type Network, startNetwork } from '../../../server/testing/network.ts'
import { friends } from '../../../server/testing/worlds/worlds.ts'
import { networkClient } from '../../support/accounts/oauth.ts'
import { open } from '../../support/server/raw-http.ts'

const folder = join(import.meta.dirname, '../../../server/testing/control/lexicons')
const documents = readdirSync(folder).map(
  (file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as LexiconDoc,
)
const prefix = 'dev.desktop-pds.network.'
const lexicons = new Lexicons(structuredClone(documents))

let network: Network

beforeAll(async () => {
  network = await startNetwork({ servers: 2 })
})
beforeEach(() => network.reset())
afterAll(() => network.stop())

interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any
}

/** The lexicon of a path, and its parameters there. */
function methodOf(verb: string, path: string): string | undefined {
  const { pathname } = new URL(path, network.devUrl)
  const found = Object.entries(paths).find(([pattern]) =>
    new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(pathname),
  )
  return found?.[1][verb as 'GET']
}

/** Calls a path. A success has the form of its lexicon. */
async function call(
  verb: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(network.devUrl + path, {
    method: verb,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json;')
  const answer = {
    status: response.status,
    headers: response.headers,
    body: isJson ? JSON.parse(text) : text,
  }
  const method = methodOf(verb, path)
  if (response.ok && isJson && method) lexicons.assertValidXrpcOutput(prefix + method, answer.body)
  return answer
}

const get = (path: string) => call('GET', path)
const post = (path: string, body?: unknown) => call('POST', path, body)

async function refusal(verb: string, path: string, body?: unknown, headers?: Record<string, string>) {
  const answer = await call(verb, path, body, headers)
  expect(Object.keys(answer.body), JSON.stringify(answer.body)).toEqual(['error', 'message'])
  return [answer.status, answer.body.error, answer.body.message]
}

/** What browsers add to a request of a page of another site. */
const parts = (dest: string) => ({ 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': dest })

describe('lexicons', () => {
  test('describe each method, with its path', async () => {
    const { body } = await get('/dev/lexicons')
    expect(body.lexicons.toSorted(byId)).toEqual(documents.toSorted(byId))
    const routes = Object.entries(paths).flatMap(([path, verbs]) =>
      Object.entries(verbs).map(([verb, name]) => [`${prefix}${name}`, `${verb} ${path}`]),
    )
    const described = documents.flatMap(({ id, defs: { main } }) =>
      main ? [[id, /^`(.+?)` /.exec(String(main.description))?.[1]]] : [],
    )
    expect(described.toSorted()).toEqual(routes.toSorted())
  })

  test('take no input', async () => {
    expect(await refusal('GET', '/dev/lexicons?id=1')).toEqual([
      400,
      'InvalidRequest',
      'id: there is no such member',
    ])
  })
})

const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1)

describe('accounts', () => {
  test('are created, listed, and signed in', async () => {
    const { body: alice } = await post('/dev/accounts', { handle: 'alice', server: 1 })
    const { url } = network.servers[1] as Network['servers'][number]
    expect(alice).toMatchObject({ handle: 'alice.two.test', password: 'alice-password', service: url })
    const { body: again } = await get('/dev/accounts/alice')
    expect(again.did).toBe(alice.did)
    const session = await fetch(`${url}/xrpc/com.atproto.server.getSession`, {
      headers: { authorization: `Bearer ${again.session.accessJwt}` },
    })
    expect(session.status).toBe(200)
    const { body } = await get('/dev/accounts')
    expect(body.accounts).toMatchObject([{ did: alice.did, password: 'alice-password', server: 1 }])
    const { body: app } = await post('/dev/accounts/alice.two.test/app-passwords', { name: 'phone' })
    expect(app.password).toMatch(/^[\w]{4}(?:-\w{4}){3}$/)
  })

  test('need a mailed code, and move', async () => {
    const { body: alice } = await post('/dev/accounts', { handle: 'alice' })
    const { body: moved } = await post('/dev/accounts/alice/move', { server: 1 })
    const { url } = network.servers[1] as Network['servers'][number]
    expect(moved).toMatchObject({ did: alice.did, handle: 'alice.two.test', server: 1, service: url })
    expect((await post('/dev/accounts/alice.two.test/mailed-code')).body).toEqual({})
    const signedIn = await fetch(`${url}/xrpc/com.atproto.server.createSession`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(moved.login),
    })
    expect(await signedIn.json()).toMatchObject({ error: 'AuthFactorTokenRequired' })
  })

  test('are changed only if they exist, and with the input of the lexicon', async () => {
    const unknown = [404, 'NotFound', 'The network has no account dora.']
    expect(await refusal('POST', '/dev/accounts/dora/mailed-code')).toEqual(unknown)
    expect(await refusal('POST', '/dev/accounts/dora/move', { server: 1 })).toEqual(unknown)
    await post('/dev/accounts', { handle: 'alice' })
    const move = async (input?: object) => (await refusal('POST', '/dev/accounts/alice/move', input))[2]
    expect(await move()).toBe('server is missing')
    expect(await move({ server: 'two' })).toBe('server: must be an integer, not a text')
    expect(await move({ server: 2 })).toBe('The network has no server 2, only 2.')
    expect((await refusal('POST', '/dev/accounts/alice/mailed-code', { on: true }))[2]).toBe(
      'on: there is no such member',
    )
  })

  test('are refused with the reason', async () => {
    expect(await refusal('POST', '/dev/accounts', { handel: 'alice' })).toEqual([
      400,
      'InvalidRequest',
      'handle is missing; handel: there is no such member; did you mean "handle"?',
    ])
    expect(await refusal('POST', '/dev/accounts', { handle: 7, server: 10 })).toEqual([
      400,
      'InvalidRequest',
      'handle: must be a text, not an integer; server: must be from 0 to 8',
    ])
    expect(await refusal('POST', '/dev/accounts', { handle: 'alice', server: 2 })).toEqual([
      404,
      'NotFound',
      'The network has no server 2, only 2.',
    ])
    await post('/dev/accounts', { handle: 'alice' })
    expect((await refusal('POST', '/dev/accounts', { handle: 'alice' })).slice(0, 2)).toEqual([
      400,
      'HandleNotAvailable',
    ])
    const unknown = [404, 'NotFound', 'The network has no account dora.']
    expect(await refusal('GET', '/dev/accounts/dora')).toEqual(unknown)
    expect(await refusal('POST', '/dev/accounts/dora/app-passwords')).toEqual(unknown)
    expect((await refusal('POST', '/dev/accounts/alice/app-passwords', { privileged: 'yes' }))[2]).toBe(
      'privileged: must be true or false, not a text',
    )
    expect((await refusal('GET', '/dev/accounts?limit=3'))[2]).toBe('limit: there is no such member')
    expect((await refusal('GET', '/dev/accounts/%ff'))[0]).toBe(400)
  })
})

describe('states', () => {
  test('are kept and restored, and the first one is restored by a reset', async () => {
    await post('/dev/accounts', { handle: 'alice' })
    const { body: snapshot } = await post('/dev/snapshots')
    await post('/dev/accounts', { handle: 'bob' })
    expect((await post(`/dev/snapshots/${snapshot.id}/restore`)).body).toEqual({})
    expect((await get('/dev/accounts')).body.accounts).toMatchObject([{ handle: 'alice.test' }])
    expect((await post('/dev/reset')).body).toEqual({})
    expect((await get('/dev/accounts')).body.accounts).toEqual([])
    expect((await call('DELETE', `/dev/snapshots/${snapshot.id}`)).body).toEqual({})
    const missing = [404, 'NotFound', `The network has no snapshot ${snapshot.id}.`]
    expect(await refusal('POST', `/dev/snapshots/${snapshot.id}/restore`)).toEqual(missing)
    expect(await refusal('DELETE', `/dev/snapshots/${snapshot.id}`)).toEqual(missing)
  })

  test('take no input', async () => {
    expect(await refusal('POST', '/dev/reset', { to: 3 })).toEqual([
      400,
      'InvalidRequest',
      'to: there is no such member',
    ])
    expect((await refusal('POST', '/dev/snapshots', { id: 'mine' }))[0]).toBe(400)
  })
})

describe('the clock', () => {
  test('is read and moved', async () => {
    expect((await get('/dev/clock')).body).toEqual({ now: network.clock.now().toISOString() })
    const before = network.clock.now().getTime()
    const { body } = await post('/dev/clock', { advance: '90d' })
    expect(Date.parse(body.now) - before).toBe(90 * 86_400_000)
    expect((await post('/dev/clock', { set: '2027-01-01T00:00:00Z' })).body.now).toBe(
      '2027-01-01T00:00:00.000Z',
    )
  })

  test('refuses what is no time', async () => {
    const messages = []
    for (const input of [{}, { advance: '1d', set: '2027-01-01' }, { advance: 'soon' }, { set: 'late' }])
      messages.push((await refusal('POST', '/dev/clock', input))[2])
    messages.push((await refusal('POST', '/dev/clock', { set: '1999-01-01' }))[2])
    expect(messages).toEqual([
      'Give one of advance and set',
      'Give one of advance and set',
      'soon is no duration. Write 90d, 12h, 5m, 30s or milliseconds.',
      'late is no date.',
      expect.stringContaining('it cannot be set back'),
    ])
    expect((await refusal('GET', '/dev/clock?zone=UTC'))[0]).toBe(400)
  })
})

describe('faults', () => {
  test('are added, listed and removed', async () => {
    const nsid = 'com.atproto.server.describeServer'
    const { body: fault } = await post('/dev/faults', { nsid, status: 503, times: 1 })
    const answer = await fetch(`${network.url}/xrpc/${nsid}`)
    expect(answer.status).toBe(503)
    expect((await get('/dev/faults')).body.faults).toEqual([{ ...fault, count: 1 }])
    expect((await call('DELETE', `/dev/faults/${fault.id}`)).body).toEqual({})
    expect(await refusal('DELETE', `/dev/faults/${fault.id}`)).toEqual([
      404,
      'NotFound',
      `The network has no fault ${fault.id}.`,
    ])
    await post('/dev/faults', { drop: 'before' })
    expect((await call('DELETE', '/dev/faults')).body).toEqual({})
    expect((await get('/dev/faults')).body.faults).toEqual([])
  })

  test('are refused if they have no effect, or another form', async () => {
    expect((await refusal('POST', '/dev/faults', { nsid: 'a.b.c' }))[2]).toBe(
      'Give at least one of status, error, drop and latencyMs',
    )
    expect((await refusal('POST', '/dev/faults', { status: 200, drop: 'later' }))[2]).toBe(
      'status: must be from 400 to 599; drop: must be one of "before", "after"',
    )
  })
})

describe('mail, requests and events', () => {
  test('messages have their codes', async () => {
    const { body: alice } = await post('/dev/accounts', { handle: 'alice' })
    await fetch(`${network.url}/xrpc/com.atproto.server.requestPasswordReset`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: alice.email }),
    })
    const { body } = await get('/dev/mail?handle=alice')
    expect(body.messages[0]).toMatchObject({ to: alice.email, code: await network.mail.code('alice') })
    expect((await get('/dev/mail')).body.messages).toEqual(body.messages)
    expect((await refusal('GET', '/dev/mail?handle=dora'))[0]).toBe(404)
    expect((await refusal('GET', '/dev/mail?to=alice'))[0]).toBe(400)
  })

  test('requests are filtered', async () => {
    const { body: alice } = await post('/dev/accounts', { handle: 'alice' })
    const headers = { authorization: `Bearer ${alice.session.accessJwt}` }
    const [session, describe] = ['com.atproto.server.getSession', 'com.atproto.server.describeServer']
    await fetch(`${network.url}/xrpc/${describe}`)
    await fetch(`${network.url}/xrpc/${session}`, { headers })
    const list = async (query: string) =>
      (await get(`/dev/requests?${query}`)).body.requests.map(({ nsid }: { nsid: string }) => nsid)
    expect(await list('account=alice')).toEqual([session])
    expect(await list(`account=${alice.did}&status=401`)).toEqual([])
    expect(await list(`nsid=${describe}&server=0&status=200`)).toEqual([describe])
    const { id } = (await get('/dev/requests?limit=1')).body.requests[0]
    expect(await list(`after=${id}`)).toEqual([])
    expect((await refusal('GET', '/dev/requests?after=last'))[2]).toBe(
      'after: must be an integer, not a text',
    )
    expect((await refusal('GET', '/dev/requests?after=1&after=2'))[2]).toBe('after is given twice')
    expect((await refusal('GET', '/dev/requests?account=dora'))[0]).toBe(404)
  })

  test('events are lines of JSON, also while they happen', async () => {
    await post('/dev/accounts', { handle: 'alice' })
    const { body, headers } = await get('/dev/events')
    expect(headers.get('content-type')).toContain('application/jsonl')
    const events = body.trim().split('\n').map(JSON.parse)
    expect(events.map(({ kind }: { kind: string }) => kind)).toEqual(['identity', 'account'])
    expect((await get(`/dev/events?since=${events[0].time_us}`)).body.trim()).toBe(JSON.stringify(events[1]))

    const following = await fetch(`${network.devUrl}/dev/events?follow=true&since=${events[1].time_us}`)
    const reader = following.body?.pipeThrough(new TextDecoderStream()).getReader()
    await post('/dev/accounts', { handle: 'bob' })
    expect(JSON.parse((await reader?.read())?.value?.split('\n')[0] ?? '').identity.handle).toBe('bob.test')
    await network.reset()
    while (!(await reader?.read())?.done) {}
    expect((await refusal('GET', '/dev/events?follow=yes'))[2]).toBe(
      'follow: must be true or false, not a text',
    )
  })
})

describe('servers', () => {
  test('are paused, killed and restarted', async () => {
    const { body: alice } = await post('/dev/accounts', { handle: 'alice', server: 1 })
    expect((await post('/dev/servers/1/pause')).body.isPaused).toBe(true)
    expect((await post('/dev/servers/1/resume')).body.isPaused).toBe(false)
    expect((await post('/dev/servers/1/kill')).body.isRunning).toBe(false)
    expect((await get('/dev/servers')).body.servers).toMatchObject([
      { server: 0, url: network.url, adminPassword: 'admin', isRunning: true },
      { server: 1, domain: 'two.test', isRunning: false },
    ])
    expect((await get('/dev/mail')).status).toBe(200)
    expect((await refusal('POST', '/dev/accounts', { handle: 'bob', server: 1 })).slice(0, 2)).toEqual([
      502,
      'ServerNotReachable',
    ])
    expect((await post('/dev/servers/1/restart')).body.isRunning).toBe(true)
    expect((await get('/dev/accounts/alice')).body.did).toBe(alice.did)
  })

  test.each(['pause', 'resume', 'kill', 'restart'])('a %s needs a server that exists', async (action) => {
    expect(await refusal('POST', `/dev/servers/2/${action}`)).toEqual([
      404,
      'NotFound',
      'The network has no server 2, only 2.',
    ])
    expect((await refusal('POST', `/dev/servers/two/${action}`))[2]).toBe(
      'server: must be an integer, not a text',
    )
  })

  test('have nothing else to list', async () => {
    expect((await refusal('GET', '/dev/servers?state=killed'))[0]).toBe(400)
  })
})

describe('worlds', () => {
  test('are loaded at the present', async () => {
    const { status, body } = await post('/dev/world', friends)
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body.accounts.alice.handle).toBe('alice.test')
    expect((await get('/dev/accounts')).body.accounts).toHaveLength(3)
    // As a test goes on with it.
    expect((await get('/dev/accounts/bob')).body.session.active).toBe(true)
  })

  test('with errors are refused, with the places', async () => {
    const world = { accounts: [{ name: 'alice', age: 7 }], posts: [{ by: 'bob', text: 'Hello' }] }
    const [status, error, message] = await refusal('POST', '/dev/world', world)
    expect([status, error]).toEqual([400, 'InvalidWorld'])
    expect(message).toContain('accounts[0].age: there is no such member')
    expect((await refusal('POST', '/dev/world'))[1]).toBe('InvalidWorld')
  })

  test('read no files of this computer', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'pds-secret-')), 'secret')
    writeFileSync(file, 'secret')
    const world = (name: string, avatar: unknown) => ({
      accounts: [{ name, profile: { displayName: 'A', avatar } }],
    })
    const avatars = { alice: file, bob: { path: file } }
    for (const [name, avatar] of Object.entries(avatars))
      expect((await refusal('POST', '/dev/world', world(name, avatar)))[2]).toContain('has no picture files')
  })
})

describe('requests of apps to sign in', () => {
  const scope = 'atproto repo:app.bsky.feed.post?action=create'

  test('are approved', async () => {
    await post('/dev/accounts', { handle: 'alice' })
    const client = networkClient(network.url, scope)
    const { href: url } = await client.authorize('alice.test', { scope })
    const { body } = await post('/dev/oauth/approve', { url, handle: 'alice', scope })
    const { session } = await client.callback(new URL(body.location).searchParams)
    expect(session.did).toBe((await network.accounts.get('alice')).did)
    expect(await refusal('POST', '/dev/oauth/approve', { url, handle: 'alice' })).toEqual([
      400,
      'InvalidApproval',
      expect.stringContaining('opens no request of an app'),
    ])
  })

  test('are approved with the expected permissions alone, by accounts that exist', async () => {
    await post('/dev/accounts', { handle: 'alice' })
    const { href: url } = await networkClient(network.url, scope).authorize('alice.test', { scope })
    const approve = (input: object) => refusal('POST', '/dev/oauth/approve', input)
    expect((await approve({ url, handle: 'alice', scope: 'atproto' }))[2]).toBe(
      `The app asks for other permissions: ${scope}`,
    )
    expect((await approve({ url, handle: 'dora' }))[0]).toBe(404)
    expect((await approve({ url: 'http://localhost:1/', handle: 'alice' }))[2]).toContain(
      'is no URL of a server',
    )
    expect((await approve({ url }))[2]).toBe('handle is missing')
  })
})

describe('protection', () => {
  test('bodies are JSON', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    expect(await refusal('POST', '/dev/accounts', 'handle=alice', form)).toEqual([
      415,
      'UnsupportedMediaType',
      'The body must be JSON (Content-Type: application/json), not application/x-www-form-urlencoded',
    ])
    expect((await refusal('POST', '/dev/reset', '', { 'content-type': 'text/plain' }))[0]).toBe(415)
    expect((await refusal('POST', '/dev/accounts', '{"handle":'))[2]).toBe(
      'The body is not valid JSON in UTF-8',
    )
    expect((await refusal('POST', '/dev/accounts', ['alice']))[2]).toBe('The body must be a JSON object')
    expect((await refusal('POST', '/dev/accounts', { handle: 'a'.repeat(200_000) })).slice(0, 2)).toEqual([
      413,
      'PayloadTooLarge',
    ])
  })

  test('paths have their methods', async () => {
    const { status, headers, body } = await call('DELETE', '/dev/clock')
    expect([status, headers.get('allow'), body.error]).toEqual([405, 'GET, POST', 'MethodNotAllowed'])
    expect((await refusal('GET', '/dev/none'))[0]).toBe(404)
    expect((await refusal('GET', '/other'))[0]).toBe(404)
  })

  test('pages of other origins and hosts are refused', async () => {
    const origin = 'https://example.com'
    expect((await refusal('POST', '/dev/reset', undefined, { origin })).slice(0, 2)).toEqual([
      403,
      'Forbidden',
    ])
    expect((await refusal('GET', '/dev/accounts', undefined, { origin: 'null' }))[0]).toBe(403)
    const port = Number(new URL(network.devUrl).port)
    const connection = await open(port)
    connection.send('GET /dev/accounts HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n')
    expect((await connection.closed()).map(({ status }) => status)).toEqual([403])
  })

  test('images, scripts and frames of pages of other sites are refused: a GET may sign in', async () => {
    const before = await get('/dev/clock')
    for (const dest of ['image', 'script', 'iframe', 'empty'])
      expect((await refusal('GET', '/dev/accounts/alice', undefined, parts(dest)))[0], dest).toBe(403)
    expect((await get('/dev/clock')).body).toEqual(before.body)
    expect((await call('GET', '/dev', undefined, parts('document'))).status).toBe(200)
    const origin = 'http://127.0.0.1:3000'
    const own = await call('GET', '/dev/clock', undefined, { ...parts('empty'), origin })
    expect([own.status, own.headers.get('access-control-allow-origin')]).toEqual([200, origin])
  })

  test('pages of this computer may read answers', async () => {
    const origin = 'http://localhost:3000'
    const { headers } = await call('GET', '/dev/clock', undefined, { origin })
    expect(headers.get('access-control-allow-origin')).toBe(origin)
    expect((await get('/dev/clock')).headers.get('access-control-allow-origin')).toBeNull()
    const preflight = await call('OPTIONS', '/dev/faults', undefined, { origin })
    expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([
      204,
      'GET, POST, DELETE',
    ])
  })

  test('the page is not framed, and runs its own script alone', async () => {
    const { status, headers } = await get('/dev')
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/)
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  })
})
