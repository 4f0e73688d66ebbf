/** Rate limits and their headers. */
import { networkInterfaces } from 'node:os'
import { l } from '@atproto/lex-schema'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createSources } from '../../server/platform/xrpc/sources.ts'
import { open } from '../support/server/raw-http.ts'
import { type Account, type Answer, TestServer } from '../support/server/server.ts'
import { type Fetched, json, method, serve, type TinyServer } from '../support/server/tiny-server.ts'

const nothing = l.params({})
const hour = 3600

const search = method(
  { main: l.query('com.test.search', l.params({ q: l.string() }), l.payload()) },
  { auth: 'none', limits: [{ points: 2, seconds: hour, per: 'address' }], handler: () => {} },
)

const signIn = method(
  { main: l.procedure('com.test.signIn', nothing, l.jsonPayload({ name: l.string() }), l.payload()) },
  {
    auth: 'none',
    limits: [
      { points: 2, seconds: 60, per: ({ name }, address) => `${name} ${address}` },
      { points: 4, seconds: hour, per: 'address' },
    ],
    handler: () => {},
  },
)

const send = method(
  { main: l.procedure('com.test.send', nothing, l.payload(), l.payload()) },
  { auth: 'user', limits: [{ points: 1, seconds: hour, per: 'account' }], handler: () => {} },
)

const free = method(
  { main: l.query('com.test.free', nothing, l.payload()) },
  { auth: 'none', handler: () => {} },
)

let server: TinyServer | TestServer | undefined
const start = async (rateLimits = true, hosts = ['127.0.0.1'], hostnames: string[] = []) => {
  const started = await serve([search, signIn, send, free], { rateLimits, hosts, hostnames })
  server = started
  return started
}
afterEach(async () => {
  vi.useRealTimers()
  await server?.close()
})

const header = ({ headers }: { headers: Headers }, name: string) => headers.get(name)
const left = (answer: Fetched) => Number(header(answer, 'ratelimit-remaining'))

describe('a limited method', () => {
  test('sends the remaining calls and the reset time', async () => {
    const { fetch } = await start()
    const first = await fetch('/xrpc/com.test.search?q=a')
    expect(first.status).toBe(200)
    expect(header(first, 'ratelimit-limit')).toBe('2')
    expect(header(first, 'ratelimit-remaining')).toBe('1')
    expect(header(first, 'ratelimit-policy')).toBe('2;w=3600')
    const reset = Number(header(first, 'ratelimit-reset'))
    expect(reset).toBeGreaterThan(hour - 60)
    expect(reset).toBeLessThanOrEqual(hour)
    expect(header(first, 'retry-after')).toBeNull()
  })

  test('refuses with 429 and Retry-After', async () => {
    const { fetch } = await start()
    for (let call = 0; call < 2; call++) await fetch('/xrpc/com.test.search?q=a')
    const refused = await fetch('/xrpc/com.test.search?q=a')
    expect(refused).toMatchObject({
      status: 429,
      body: { error: 'RateLimitExceeded', message: expect.any(String) },
    })
    expect(header(refused, 'ratelimit-remaining')).toBe('0')
    expect(header(refused, 'retry-after')).toBe(header(refused, 'ratelimit-reset'))
    expect(header(refused, 'access-control-allow-origin')).toBe('*')
  })

  test('lets exactly the allowed number of concurrent calls through', async () => {
    const { fetch } = await start()
    const answers = await Promise.all(Array.from({ length: 20 }, () => fetch('/xrpc/com.test.search?q=a')))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(18)
  })

  test('does not count calls with invalid parameters', async () => {
    const { fetch } = await start()
    for (let call = 0; call < 5; call++) expect((await fetch('/xrpc/com.test.search')).status).toBe(400)
    expect((await fetch('/xrpc/com.test.search?q=a')).status).toBe(200)
  })

  test('counts per key of the input, and sends the headers of the limit with the fewest calls left', async () => {
    const { fetch } = await start()
    const as = (name: string) => fetch('/xrpc/com.test.signIn', json({ name }))
    expect(left(await as('alice'))).toBe(1)
    expect(left(await as('alice'))).toBe(0)
    expect((await as('alice')).status).toBe(429)
    expect((await as('bob')).status).toBe(200)
    const last = await as('carla')
    expect([last.status, header(last, 'ratelimit-policy')]).toEqual([200, '4;w=3600'])
    expect((await as('dan')).status).toBe(429)
  })

  test('counts per account', async () => {
    const { fetch } = await start()
    const as = (name: string) =>
      fetch('/xrpc/com.test.send', { method: 'POST', headers: { authorization: `Bearer ${name}` } })
    expect((await as('alice')).status).toBe(200)
    expect((await as('alice')).status).toBe(429)
    expect((await as('bob')).status).toBe(200)
  })

  test('has no limits when rate limits are off', async () => {
    const { fetch } = await start(false)
    for (let call = 0; call < 5; call++) {
      const answer = await fetch('/xrpc/com.test.search?q=a')
      expect([answer.status, header(answer, 'ratelimit-limit')]).toEqual([200, null])
    }
  })
})

describe('all calls together', () => {
  const [outside = ''] = Object.values(networkInterfaces())
    .flat()
    .flatMap((each) => (each?.family === 'IPv4' && !each.internal ? each.address : []))

  test('are not counted for local programs', async () => {
    const { fetch } = await start()
    expect(header(await fetch('/xrpc/com.test.free'), 'ratelimit-limit')).toBeNull()
  })

  test.skipIf(!outside)('are counted for every other address, for unknown methods, too', async () => {
    const { port } = await start(true, ['0.0.0.0'], [outside])
    const ask = (name: string) => fetch(`http://${outside}:${port}/xrpc/${name}`)
    const answer = await ask('com.test.free')
    expect([answer.status, header(answer, 'ratelimit-policy')]).toEqual([200, '3000;w=300'])
    expect(header(await ask('com.test.unknown'), 'ratelimit-remaining')).toBe('2998')
    expect(header(await ask('com.test.search?q=a'), 'ratelimit-policy')).toBe('2;w=3600')
  })
})

describe('the server itself', () => {
  test('counts sign-in attempts per identifier', async () => {
    const running = await TestServer.start({ rateLimits: true })
    server = running
    const attempt = (identifier: string) =>
      running.post('com.core.server.createSession', { identifier, password: 'wrong' })
    for (let call = 0; call < 30; call++) expect((await attempt('alice.test')).status).toBe(401)
    const refused = await attempt('Alice.test')
    expect(refused).toMatchObject({ status: 429, body: { error: 'RateLimitExceeded' } })
    expect(Number(header(refused, 'retry-after'))).toBeGreaterThan(0)
    expect(header(refused, 'ratelimit-policy')).toBe('30;w=300')
    expect((await attempt('bob.test')).status).toBe(401)
  })

  test('counts spellings of one identifier together', async () => {
    const running = await TestServer.start({ rateLimits: true })
    server = running
    const attempt = (identifier: string) =>
      running.post('com.core.server.createSession', { identifier, password: 'wrong' })
    const spellings = ['alice.test', ' alice.test', 'ALICE.test\n', '@alice.test', ' @Alice.Test ']
    for (let call = 0; call < 30; call++) {
      expect((await attempt(spellings[call % spellings.length] ?? '')).status).toBe(401)
    }
    for (const spelling of spellings) expect((await attempt(spelling)).status).toBe(429)
  })

  test('counts wrong passwords per account, and admits an app password that matches', async () => {
    const running = await TestServer.start({ rateLimits: true })
    server = running
    const alice = await running.account('alice')
    const app = await running.appSession(alice, 'phone')
    const attempt = (identifier: string, password = 'wrong') =>
      running.post('com.core.server.createSession', { identifier, password })
    const names = [alice.handle, `@${alice.handle.toUpperCase()}`, alice.did]
    // The app password was not counted.
    for (let call = 0; call < 30; call++) expect((await attempt(names[call % 3] ?? '')).status).toBe(401)
    for (let call = 0; call < 30; call++) expect((await attempt(alice.email)).status).toBe(401)
    for (const name of [...names, alice.email]) {
      expect((await attempt(name)).status).toBe(429)
      expect((await attempt(name, alice.password)).status).toBe(429)
      expect((await attempt(name, app.password)).status).toBe(200)
    }
    expect((await running.get('com.core.server.getSession', {}, alice)).status).toBe(200)
  })

  test('does not show which account has an email address', async () => {
    const running = await TestServer.start({ rateLimits: true })
    server = running
    const alice = await running.account('alice')
    const attempt = (identifier: string) =>
      running.post('com.core.server.createSession', { identifier, password: 'wrong' })
    for (let call = 0; call < 31; call++) await attempt(alice.handle)
    const [hers, unknown] = [await attempt(alice.email), await attempt('unknown@mail.test')]
    expect(hers.status).toBe(401)
    expect(header(hers, 'ratelimit-remaining')).toBe(header(unknown, 'ratelimit-remaining'))
  })

  test('refuses the admin password after 30 wrong guesses', async () => {
    const running = await TestServer.start({ rateLimits: true })
    server = running
    const list = (password: string) => {
      const basic = Buffer.from(`admin:${password}`).toString('base64')
      return running.get('com.core.admin.listAccounts', {}, `Basic ${basic}`)
    }
    const right = running.config.adminPassword ?? ''
    expect((await list(right)).status).toBe(200)
    for (let guess = 0; guess < 30; guess++) expect((await list(`guess ${guess}`)).status).toBe(401)
    const refused = await list(right)
    expect(refused).toMatchObject({ status: 429, body: { error: 'RateLimitExceeded' } })
    expect(Number(header(refused, 'retry-after'))).toBeGreaterThan(0)
  })

  test('counts concurrent guesses of the admin password', async () => {
    const running = await TestServer.start({ rateLimits: true })
    server = running
    const connection = await open(running.running.port)
    const guess = (password: string) => {
      const basic = Buffer.from(`admin:${password}`).toString('base64')
      return `GET /xrpc/com.core.admin.listAccounts HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic ${basic}\r\n\r\n`
    }
    const guesses = Array.from({ length: 60 }, (_, number) => guess(`guess ${number}`))
    connection.send([...guesses, guess(running.config.adminPassword ?? '')].join(''))
    const statuses = (await connection.answers(61)).map(({ status }) => status)
    connection.socket.destroy()
    expect(statuses).toEqual([...Array(30).fill(401), ...Array(31).fill(429)])
  })

  test('keeps no more identifiers once an address is over its limit', async () => {
    const running = await TestServer.start({ rateLimits: true })
    server = running
    const attempt = (identifier: string) =>
      running.post('com.core.server.createSession', { identifier, password: 'wrong' })
    for (let call = 0; call < 300; call++) expect((await attempt(`name-${call}.test`)).status).toBe(401)
    for (let call = 0; call < 31; call++) {
      const refused = await attempt('alice.test')
      expect([refused.status, header(refused, 'ratelimit-policy')]).toEqual([429, '300;w=300'])
    }
  })

  test('counts attempts of a foreign page apart from those of the owner', async () => {
    const running = await TestServer.start({ rateLimits: true })
    server = running
    const alice = await running.account('alice')
    const basic = (password: string) => `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`
    const fromPage = (path: string, init: RequestInit) =>
      running.fetch(path, { ...init, headers: { ...init.headers, origin: 'https://page.test' } })
    const signIn = () =>
      fromPage(
        '/xrpc/com.core.server.createSession',
        json({ identifier: alice.handle, password: 'wrong password' }),
      )
    const list = () =>
      fromPage('/xrpc/com.core.admin.listAccounts', { headers: { authorization: basic('wrong') } })
    for (let call = 0; call < 30; call++) {
      expect([(await signIn()).status, (await list()).status]).toEqual([401, 401])
    }
    expect([(await signIn()).status, (await list()).status]).toEqual([429, 429])
    expect((await running.signIn(alice)).status).toBe(200)
    const right = basic(running.config.adminPassword ?? '')
    expect((await running.get('com.core.admin.listAccounts', {}, right)).status).toBe(200)
  })
})

describe('requests to reset one password', () => {
  const asker = (running: TestServer) => (address: string) =>
    fetch(`${running.proxyUrl}/xrpc/com.core.server.requestPasswordReset`, {
      ...json({ email: 'alice@mail.test' }),
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    })
  const behindProxy = async () => {
    const running = await TestServer.start({ rateLimits: true, proxyPort: 0 })
    server = running
    const alice = await running.account('alice')
    // Other addresses get fewer codes: see `session-limits.test.ts`.
    await running.confirmEmail(alice)
    return { running, alice, ask: asker(running) }
  }

  test('of one requester leave the owner their own', async () => {
    const { running, alice, ask } = await behindProxy()
    for (let call = 0; call < 5; call++) expect((await ask('192.0.2.1')).status).toBe(200)
    expect((await ask('192.0.2.1')).status).toBe(429)
    expect((await ask('192.0.2.2')).status).toBe(200)
    // With the code that confirmed the address.
    expect(await running.mailsTo(alice.email)).toHaveLength(7)
  })

  test('of many requesters are refused until the codes that were mailed expire, and leave those valid', async () => {
    const { running, alice, ask } = await behindProxy()
    expect((await ask('192.0.2.1')).status).toBe(200)
    const token = await running.codeTo(alice.email)
    for (let call = 2; call <= 10; call++) expect((await ask(`192.0.2.${call}`)).status).toBe(200)
    const refused = await ask('192.0.2.99')
    expect([refused.status, header(refused, 'ratelimit-policy')]).toEqual([429, '10;w=900'])
    const input = { token, password: 'a new password' }
    expect((await running.post('com.core.server.resetPassword', input)).status).toBe(200)
  })
})

test('searches in posts are counted per account, and for anonymous callers per source', async () => {
  const running = await TestServer.start({ rateLimits: true })
  server = running
  const [alice, bob] = [await running.account('alice'), await running.account('bob')]
  const search = (headers: Record<string, string>) =>
    running.fetch('/xrpc/app.example.feed.searchPosts?q=rain', { headers })
  const as = ({ accessJwt }: Account) => ({ authorization: `Bearer ${accessJwt}` })
  for (let call = 0; call < 120; call++) expect((await search(as(alice))).status).toBe(200)
  // A page of another site shares the budget of the account whose token it has.
  const refused = await search({ ...as(alice), origin: 'https://page.test' })
  expect(refused).toMatchObject({ status: 429, body: { error: 'RateLimitExceeded' } })
  expect(Number(header(refused, 'retry-after'))).toBeGreaterThan(0)
  expect((await search(as(bob))).status).toBe(200)
  expect((await search({})).status).toBe(200)
})

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8::5:6:7', '2001:db8:0:0'],
  ['fe80::1:2:3:4%eth0', 'fe80:0:0:0'],
  ['::2:3:4:5:6', '0:0:0:2'],
])('calls from %s are counted under %s, from a page or not', (address, source) => {
  const client = { address, isLocal: false }
  expect(createSources().of(client)).toBe(source)
  expect(createSources().of(client, { origin: 'https://page.test' })).toBe(source)
})

describe('pages of other sites in a browser of this machine', () => {
  const local = { address: '127.0.0.1', isLocal: true }
  const pageOf = (sources: ReturnType<typeof createSources>, origin: string) => sources.of(local, { origin })

  test('have a source per site, whatever its subdomains', () => {
    const sources = createSources()
    expect(pageOf(sources, 'https://a.evil.example')).toBe(pageOf(sources, 'https://b.c.evil.example:8443'))
    expect(pageOf(sources, 'https://client.example')).not.toBe(pageOf(sources, 'https://evil.test'))
    expect(pageOf(sources, 'https://client.example')).not.toBe(sources.of(local))
  })

  test('share one beyond eight sites, but keep their own after a sign-in', () => {
    const sources = createSources()
    for (let site = 0; site < 8; site++) pageOf(sources, `https://evil${site}.example`)
    const shared = pageOf(sources, 'https://evil8.test')
    const origin = 'https://app.client.test'
    expect(pageOf(sources, origin)).toBe(shared)
    sources.prove({ origin })
    expect(pageOf(sources, origin)).not.toBe(shared)
    expect(pageOf(sources, 'https://evil9.test')).toBe(shared)
  })

  test('are counted by the limit of all calls', async () => {
    const { fetch } = await start()
    const answer = await fetch('/xrpc/com.test.free', { headers: { origin: 'https://page.test' } })
    expect(header(answer, 'ratelimit-policy')).toBe('3000;w=300')
  })

  test('cannot use up the sign-in attempts of another site', async () => {
    const running = await TestServer.start({ rateLimits: true })
    server = running
    const from = (origin: string, identifier: string) =>
      running.fetch('/xrpc/com.core.server.createSession', {
        ...json({ identifier, password: 'wrong' }),
        headers: { 'content-type': 'application/json', origin },
      })
    for (let call = 0; call < 300; call++) await from(`https://a${call}.evil.test`, `name${call}.test`)
    expect((await from('https://evil.test', 'alice.test')).status).toBe(429)
    expect((await from('https://client.example', 'alice.test')).status).toBe(401)
  })
})

describe('the server allows', () => {
  const core = (nsid: string) => `com.core.${nsid}`
  const minutes = 60
  const day = 24 * hour
  type Try = (running: TestServer, alice: Account, number: number) => Promise<Answer>

  const signIn = (running: TestServer, identifier: string) =>
    running.post(core('server.createSession'), { identifier, password: 'wrong' })
  const reset = (running: TestServer, email: string) =>
    running.post(core('server.requestPasswordReset'), { email })
  const mailed =
    (nsid: string): Try =>
    (running, alice) =>
      running.post(core(nsid), undefined, alice)

  test.each<[points: number, seconds: number, what: string, Try]>([
    [300, 5 * minutes, 'attempts to sign in', (running, _, n) => signIn(running, `name${n}.test`)],
    [5, hour, 'requests to reset one password', (running) => reset(running, 'alice@mail.test')],
    [50, hour, 'requests to reset passwords', (running, _, n) => reset(running, `name${n}@mail.test`)],
    [5, hour, 'codes to confirm', mailed('server.requestEmailConfirmation')],
    [5, hour, 'codes to change the address', mailed('server.requestEmailUpdate')],
    [5, hour, 'codes to delete the account', mailed('server.requestAccountDelete')],
    [
      50,
      5 * minutes,
      'password resets with a code',
      (running) =>
        running.post(core('server.resetPassword'), { token: 'AAAAA-AAAAA', password: 'long enough' }),
    ],
    [
      20,
      hour,
      'attempts to delete the account',
      (running, alice) =>
        running.post(
          core('server.deleteAccount'),
          { did: alice.did, password: 'wrong', token: 'AAAAA-AAAAA' },
          alice,
        ),
    ],
    [
      20,
      hour,
      'reservations of a key',
      (running, _, n) => running.post(core('server.reserveSigningKey'), { did: `did:web:name${n}.example` }),
    ],
    [
      99,
      5 * minutes,
      'further accounts',
      (running, _, n) =>
        running.post(core('server.createAccount'), { handle: `name${n}.test`, password: 'short' }),
    ],
    [
      120,
      5 * minutes,
      'searches in posts',
      (running) => running.get('app.example.feed.searchPosts', { q: 'rain' }),
    ],
    [
      100,
      5 * minutes,
      'exports of a repository',
      (running, { did }) => running.get(core('sync.getRepo'), { did: `${did}x` }),
    ],
  ])('%i in %i s: %s', async (points, seconds, _, attempt) => {
    const running = await TestServer.start({ rateLimits: true })
    server = running
    const alice = await running.account('alice')
    for (let n = 0; n < points; n++) expect((await attempt(running, alice, n)).status).not.toBe(429)
    const refused = await attempt(running, alice, points)
    expect(refused).toMatchObject({ status: 429, body: { error: 'RateLimitExceeded' } })
    expect(header(refused, 'ratelimit-policy')).toMatch(new RegExp(`;w=${seconds}$`))
  })

  test.each<[points: number, atOnce: number, pause: number, what: string, Try]>([
    [300, 30, 5 * minutes, 'attempts to sign in with one name', (running) => signIn(running, 'bob.test')],
    [15, 5, hour, 'requests to reset one password', (running) => reset(running, 'alice@mail.test')],
    [15, 5, hour, 'codes to one account', mailed('server.requestEmailConfirmation')],
  ])('%i a day, %i every %i s: %s', async (points, atOnce, pause, _, attempt) => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const running = await TestServer.start({ rateLimits: true })
    server = running
    const alice = await running.account('alice')
    for (let n = 0; n < points; n++) {
      if (n > 0 && n % atOnce === 0) vi.setSystemTime(Date.now() + pause * 1000)
      expect((await attempt(running, alice, n)).status).not.toBe(429)
    }
    vi.setSystemTime(Date.now() + pause * 1000)
    const refused = await attempt(running, alice, points)
    expect([refused.status, header(refused, 'ratelimit-policy')]).toEqual([429, `${points};w=${day}`])
  })
})
