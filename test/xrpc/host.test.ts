/** The Host allow-list, which stops DNS rebinding. */
import { l } from '@atproto/lex-schema'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exchange } from '../support/server/raw-http.ts'
import { method, serve, type TinyServer } from '../support/server/tiny-server.ts'

let server: TinyServer
let calls = 0
beforeAll(async () => {
  const count = method(
    { main: l.query('com.test.count', l.params({ by: l.optional(l.string()) }), l.payload()) },
    { auth: 'none', handler: () => void calls++ },
  )
  server = await serve([count], { hostnames: ['pds.example', 'My-Box.local'] })
})
afterAll(() => server.close())

const target = '/xrpc/com.test.count'
const ask = (head: string) => exchange(server.port, `${head}\r\n\r\n`)
const withHost = (host: string) => ask(`GET ${target} HTTP/1.1\r\nHost: ${host}`)
const forbidden = { status: 403, body: { error: 'Forbidden', message: expect.any(String) } }

describe('an allowed Host is accepted', () => {
  test.each([
    'localhost',
    'LOCALHOST',
    'localhost.',
    'localhost:2583',
    'localhost.:2583',
    '127.0.0.1',
    '127.0.0.1:1',
    '127.8.9.10',
    '[::1]',
    '[::1]:2583',
    'pds.example',
    'PDS.Example:443',
    'my-box.local',
  ])('%s', async (host) => {
    expect(await withHost(host)).toMatchObject({ status: 200 })
  })
})

describe('any other Host is refused', () => {
  test.each([
    'evil.example',
    'evil.example:2583',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'evil-localhost',
    'notpds.example',
    'x.pds.example',
    'pds.example.evil',
    'localhost..',
    '0.0.0.0',
    '10.0.0.1',
    '192.168.1.1',
    '128.0.0.1',
    '127.1',
    '0177.0.0.1',
    '2130706433',
    '[::]',
    '[::2]',
    '[fe80::1]',
    '[::ffff:10.0.0.1]',
    '::1',
    '[::1',
    'localhost:',
    'localhost:port',
    'localhost:123456',
    'user@localhost',
    'localhost/',
    'localhost,evil.example',
    'localhost evil.example',
    '*',
    '',
  ])('%s', async (host) => {
    const before = calls
    expect(await withHost(host)).toMatchObject(forbidden)
    expect(calls).toBe(before)
  })
})

test('a refused Host gets neither preflight nor health nor other errors', async () => {
  for (const head of [
    'OPTIONS /xrpc/com.test.count HTTP/1.1',
    'GET /xrpc/_health HTTP/1.1',
    'GET /xrpc/no HTTP/1.1',
  ]) {
    expect(await ask(`${head}\r\nHost: evil.example`)).toMatchObject(forbidden)
  }
})

test('HTTP/1.0 without a Host is refused with 403', async () => {
  expect(await ask(`GET ${target} HTTP/1.0`)).toMatchObject(forbidden)
  expect(await ask(`GET ${target} HTTP/1.0\r\nHost: localhost`)).toMatchObject({ status: 200 })
})

test('HTTP/1.1 without a Host is refused with 400', async () => {
  expect(await ask(`GET ${target} HTTP/1.1`)).toMatchObject({
    status: 400,
    body: { error: 'InvalidRequest' },
  })
})

test('the first of two Host headers counts', async () => {
  expect(await ask(`GET ${target} HTTP/1.1\r\nHost: evil.example\r\nHost: localhost`)).toMatchObject(
    forbidden,
  )
})

test('X-Forwarded-Host is ignored', async () => {
  const head = `GET ${target} HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: localhost`
  expect(await ask(head)).toMatchObject(forbidden)
})

describe('a target in absolute form', () => {
  test.each(['http://localhost', 'http://127.0.0.1:2583', 'HTTP://pds.example', 'https://pds.example'])(
    'on %s is an ordinary call',
    async (base) => {
      const before = calls
      expect(await ask(`GET ${base}${target}?by=us HTTP/1.1\r\nHost: localhost`)).toMatchObject({
        status: 200,
      })
      expect(calls).toBe(before + 1)
    },
  )

  test('takes precedence over the Host header', async () => {
    expect(await ask(`GET http://evil.example${target} HTTP/1.1\r\nHost: localhost`)).toMatchObject(forbidden)
    expect(await ask(`GET http://localhost${target} HTTP/1.1\r\nHost: evil.example`)).toMatchObject({
      status: 200,
    })
  })

  test.each(['http://', 'http:///', 'http://evil@localhost/', 'ftp://localhost/', 'localhost:80', '*'])(
    '%s is refused',
    async (url) => {
      const { status } = await ask(`GET ${url} HTTP/1.1\r\nHost: localhost`)
      expect([400, 403]).toContain(status)
    },
  )
})

describe('a server that is opened to the network', () => {
  let open: TinyServer
  beforeAll(async () => {
    open = await serve([], { anyAddress: true })
  })
  afterAll(() => open.close())
  const health = (host: string) => exchange(open.port, `GET /xrpc/_health HTTP/1.1\r\nHost: ${host}\r\n\r\n`)

  test.each(['10.0.0.1', '192.168.1.1:2583', '203.0.113.9', '[2001:db8::1]:2583', '[fe80::1]', 'localhost'])(
    'accepts the IP address %s',
    async (host) => {
      expect(await health(host)).toMatchObject({ status: 200 })
    },
  )

  test.each(['evil.example', '10.0.0.1.evil.example', '127.1', '2130706433', '0x0a.0.0.1', '[fe80::1%eth0]'])(
    'refuses the name %s',
    async (host) => {
      expect(await health(host)).toMatchObject(forbidden)
    },
  )
})
