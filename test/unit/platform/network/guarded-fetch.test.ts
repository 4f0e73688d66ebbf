import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { guardedFetch, OutboundFailed } from '../../../../server/platform/network/client.ts'
import { isPublicAddress, OutboundRefused } from '../../../../server/platform/network/guard.ts'
import { loopbackServer } from '../../identity/did/support.ts'

const PRIVATE: [string, ...string[]][] = [
  ['unspecified', '0.0.0.0', '0.1.2.3', '::'],
  ['loopback', '127.0.0.1', '127.255.255.254', '::1'],
  ['private', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
  ['carrier-grade NAT', '100.64.0.1', '100.127.255.255'],
  ['link-local', '169.254.1.1', 'fe80::1', 'fe80::1%eth0', 'febf::1'],
  ['cloud metadata', '169.254.169.254', '100.100.100.200', '168.63.129.16', '192.0.0.192', 'fd00:ec2::254'],
  ['documentation', '192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
  ['benchmarks', '198.18.0.1', '198.19.255.255'],
  ['multicast', '224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::1'],
  ['reserved and broadcast', '240.0.0.1', '255.255.255.255'],
  ['unique local', 'fc00::1', 'fd12:3456:789a::1'],
  ['site-local', 'fec0::1'],
  ['mapped IPv4', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::ffff:169.254.169.254'],
  ['compatible IPv4', '::127.0.0.1', '::7f00:1'],
  ['NAT64', '64:ff9b::127.0.0.1', '64:ff9b::a9fe:a9fe', '64:ff9b::10.1.2.3', '64:ff9b:1::1'],
  ['translated', '::ffff:0:127.0.0.1', '::ffff:0:a00:1'],
  ['6to4 and Teredo', '2002:7f00:1::', '2001:0:7f00:1::'],
  ['anything but an IP address', '', 'localhost', '127.1', '1.1.1.1.', '999.1.1.1', '::g'],
]

test.each(PRIVATE)('%s is not public', (_, ...addresses) => {
  for (const address of addresses) expect(isPublicAddress(address), address).toBe(false)
})

test.each([
  '1.1.1.1',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.1',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2606:4700::1111',
  '2a00:1450:4001::1',
  '::ffff:1.1.1.1',
  '64:ff9b::1.1.1.1',
])('%s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true)
})

test('every spelling of a private IPv4 address is private', () => {
  const octet = fc.integer({ min: 0, max: 255 })
  const first = fc.constantFrom(0, 10, 127, 224, 255)
  fc.assert(
    fc.property(first, octet, octet, octet, (a, b, c, d) => {
      const words = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
      for (const address of [`${a}.${b}.${c}.${d}`, `::ffff:${words}`, `64:ff9b::${words}`, `::${words}`]) {
        expect(isPublicAddress(address), address).toBe(false)
      }
    }),
  )
})

test.each([
  '127.0.0.1',
  '127.1',
  '0x7f.1',
  '0x7f000001',
  '2130706433',
  '017700000001',
  '127.0.0.1.',
  '①②⑦.0.0.1',
  '0',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[0:0:0:0:0:ffff:7f00:0001]',
  '[64:ff9b::127.0.0.1]',
  'localhost',
  'LOCALHOST',
])('https://%s is refused, and nothing connects', async (host) => {
  const server = await loopbackServer((_, response) => response.end('secret'))
  await expect(guardedFetch(`https://${host}:${server.port}/`)).rejects.toThrow(OutboundRefused)
  expect(server.connections()).toBe(0)
})

test.each(['localhost.', 'a.localhost', 'localhost.localdomain', 'ip6-localhost'])(
  'https://%s is refused or unknown, and nothing connects',
  async (host) => {
    const server = await loopbackServer((_, response) => response.end('secret'))
    const request = guardedFetch(`https://${host}:${server.port}/`)
    await expect(request).rejects.toThrow(
      /not a public address|no server has this name|could not be looked up|no complete response/,
    )
    expect(server.connections()).toBe(0)
  },
)

test.each([
  'http://example.com/',
  'ftp://example.com/',
  'file:///etc/passwd',
  'data:text/plain,hello',
  'https://user:secret@example.com/',
  'https://user@example.com/',
  'https://:secret@example.com/',
  'https://',
  'example.com',
  '//example.com',
  '',
])('%j is refused', async (url) => {
  const refusal = await guardedFetch(url).catch((error: Error) => error)
  expect(refusal).toBeInstanceOf(OutboundRefused)
  expect((refusal as Error).message).not.toContain('secret')
})

test('allowPrivate: a private host is requested by plain http', async () => {
  const server = await loopbackServer(async (request, response) => {
    const body = await buffer(request)
    response.setHeader('x-method', request.method ?? '')
    response.setHeader('x-echo', String(request.headers['x-echo']))
    response.statusCode = 418
    response.end(body)
  })
  const answer = await guardedFetch(`http://localhost:${server.port}/`, {
    allowPrivate: true,
    method: 'POST',
    headers: { 'x-echo': 'hello' },
    body: 'some body',
  })
  expect(answer.status).toBe(418)
  expect(answer.headers).toMatchObject({ 'x-method': 'POST', 'x-echo': 'hello' })
  expect(answer.body.toString()).toBe('some body')
})

test('allowPrivate: other schemes than http and https are refused', async () => {
  await expect(guardedFetch('file:///etc/passwd', { allowPrivate: true })).rejects.toThrow(OutboundRefused)
})

test('a redirect is returned, not followed', async () => {
  const inside = await loopbackServer((_, response) => response.end('secret'))
  const server = await loopbackServer((_, response) => {
    response.writeHead(302, { location: inside.origin }).end()
  })
  const answer = await guardedFetch(server.origin, { allowPrivate: true })
  expect(answer.status).toBe(302)
  expect(inside.connections()).toBe(0)
})

test('a body up to the limit is read; beyond it the connection is dropped', async () => {
  let dropped = Promise.resolve()
  const server = await loopbackServer((request, response) => {
    dropped = new Promise((resolve) => response.on('close', resolve))
    if (request.url === '/fits') response.end(Buffer.alloc(1000))
    else endlessly(() => response.write(Buffer.alloc(1000)), response)
  })
  const limit = { allowPrivate: true, maxBytes: 1000 }
  expect((await guardedFetch(`${server.origin}/fits`, limit)).body).toHaveLength(1000)
  const request = guardedFetch(`${server.origin}/endless`, limit)
  await expect(request).rejects.toThrow(OutboundFailed)
  await expect(request).rejects.toThrow('larger than 1000 bytes')
  await dropped
})

test.each(['silent', 'headers only', 'half a body'])(
  'a host that stalls (%s) fails at the time limit',
  async (how) => {
    const server = await loopbackServer((_, response) => {
      if (how === 'silent') return
      response.writeHead(200, { 'content-length': '10' })
      if (how === 'headers only') response.flushHeaders()
      else response.write('half')
    })
    const request = guardedFetch(server.origin, { allowPrivate: true, timeoutMs: 100 })
    await expect(request).rejects.toThrow(OutboundFailed)
    await expect(request).rejects.toThrow('no complete response within 100 ms')
  },
)

test('an incomplete body fails', async () => {
  const server = await loopbackServer((_, response) => {
    response.writeHead(200, { 'content-length': '10' })
    response.write('half', () => response.destroy())
  })
  await expect(guardedFetch(server.origin, { allowPrivate: true })).rejects.toThrow(OutboundFailed)
})

test('a closed port and a missing TLS handshake fail', async () => {
  const server = await loopbackServer((_, response) => response.end('plain'))
  await expect(guardedFetch('http://127.0.0.1:1/', { allowPrivate: true })).rejects.toThrow(OutboundFailed)
  const tls = guardedFetch(`https://127.0.0.1:${server.port}/`, { allowPrivate: true })
  await expect(tls).rejects.toThrow(OutboundFailed)
})

test('concurrent requests to many hosts succeed, with two DNS look-ups at a time', async () => {
  const server = await loopbackServer((request, response) => response.end(request.url))
  const paths = Array.from({ length: 20 }, (_, n) => `/${n}`)
  const answers = await Promise.all(
    paths.map((path) => guardedFetch(`http://localhost:${server.port}${path}`, { allowPrivate: true })),
  )
  expect(answers.map(({ body }) => body.toString())).toEqual(paths)
})

function endlessly(write: () => boolean, stream: NodeJS.EventEmitter): void {
  while (write());
  stream.once('drain', () => endlessly(write, stream))
}
