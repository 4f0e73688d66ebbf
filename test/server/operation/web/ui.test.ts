/** Serving the user interface: only its own files, with security headers, without CORS. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createUi } from '../../../../server/operation/web/ui.ts'
import { createApp } from '../../../../server/platform/xrpc/http.ts'
import { type Listener, listen } from '../../../../server/platform/xrpc/listen.ts'
import { exchange } from '../../../support/server/raw-http.ts'

let folder: string
let listener: Listener
let url: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pds-ui-'))
  await mkdir(join(folder, 'renderer/assets'), { recursive: true })
  await writeFile(join(folder, 'secret.txt'), 'secret')
  await writeFile(join(folder, 'renderer/index.html'), '<!doctype html><title>Hello</title>')
  // Each coding has other content here, which shows what was sent.
  await writeFile(join(folder, 'renderer/assets/main-abc.js'), "'plain'")
  await writeFile(join(folder, 'renderer/assets/main-abc.js.br'), brotliCompressSync("'br'"))
  await writeFile(join(folder, 'renderer/assets/main-abc.js.gz'), gzipSync("'gzip'"))
  await writeFile(join(folder, 'renderer/notices.txt'), 'licences')
  const app = createApp({
    dispatch: async () => {},
    hostnames: [],
    health: () => ({ version: '1', healthy: true }),
    fallback: createUi(pathToFileURL(`${join(folder, 'renderer')}/`)),
  })
  listener = await listen(app, ['127.0.0.1'], 0)
  url = `http://127.0.0.1:${listener.port}`
})

afterAll(async () => {
  await listener.close()
  await rm(folder, { recursive: true })
})

test('browsers revalidate the page and cache hashed files for a year', async () => {
  const page = await fetch(url)
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(page.headers.get('cache-control')).toBe('no-cache')
  expect(await page.text()).toContain('Hello')
  const etag = page.headers.get('etag') ?? ''
  expect((await fetch(url, { headers: { 'if-none-match': etag } })).status).toBe(304)
  const script = await fetch(`${url}/assets/main-abc.js`)
  expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  const text = await fetch(`${url}/notices.txt`)
  expect(text.headers.get('content-type')).toBe('text/plain; charset=utf-8')
})

test('the headers forbid foreign scripts, framing and other origins', async () => {
  const { headers } = await fetch(url, { headers: { origin: 'https://elsewhere.example' } })
  expect(headers.get('access-control-allow-origin')).toBeNull()
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
  const policy = headers.get('content-security-policy') ?? ''
  expect(policy.split('; ')).toEqual(
    expect.arrayContaining([
      "default-src 'none'",
      "script-src 'self'",
      "connect-src 'self'",
      "img-src 'self' data: blob:",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ]),
  )
  expect(policy).not.toContain('unsafe')
})

describe('a file that the build has compressed', () => {
  const script = async (accepted: string) => {
    const answer = await fetch(`${url}/assets/main-abc.js`, { headers: { 'accept-encoding': accepted } })
    return [answer.headers.get('content-encoding'), await answer.text()]
  }

  test.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br; q=0 , gzip;q=0.0', null],
    ['identity', null],
  ])('is sent as it is to clients that accept its coding: %s', async (accepted, coding) => {
    expect(await script(accepted)).toEqual([coding, `'${coding ?? 'plain'}'`])
  })

  test('has a tag for each coding, which a client revalidates with', async () => {
    const head = async (accepted: string, tag = '') => {
      const sent = { 'accept-encoding': accepted, 'if-none-match': tag }
      return fetch(`${url}/assets/main-abc.js`, { method: 'HEAD', headers: sent })
    }
    const tag = (await head('br')).headers.get('etag') ?? ''
    expect((await head('br', tag)).status).toBe(304)
    expect((await head('gzip', tag)).status).toBe(200)
  })

  test('is sent uncompressed if the build has not', async () => {
    const answer = await fetch(url, { headers: { 'accept-encoding': 'br, gzip' } })
    expect(answer.headers.get('content-encoding')).toBeNull()
    expect(await answer.text()).toContain('Hello')
  })
})

test.each([
  '/../secret.txt',
  '/%2e%2e/secret.txt',
  '/assets/../../secret.txt',
  '/assets',
  '/nothing.js',
  '/.env',
])('a path outside the built files is refused: %s', async (path) => {
  const { status, text } = await rawGet(path)
  expect(status).toBe(404)
  expect(text).toContain('PathNotFound')
})

describe('a visit of 127.0.0.1', () => {
  const navigate = 'Sec-Fetch-Mode: navigate'
  /** Not `fetch`, which sets the header itself. */
  const visit = (line: string, headers: readonly string[], host = '127.0.0.1') => {
    const head = [`${line} HTTP/1.1`, `Host: ${host}:${listener.port}`, 'Connection: close', ...headers]
    return exchange(listener.port, `${head.join('\r\n')}\r\n\r\n`)
  }

  test('is redirected to localhost, with port and query', async () => {
    const { status, headers } = await visit('GET /?from=mail', [navigate])
    expect(status).toBe(302)
    expect(headers.location).toBe(`http://localhost:${listener.port}/?from=mail`)
    expect(headers['cache-control']).toBe('no-store')
    expect((await visit('GET /', [navigate], 'localhost')).status).toBe(200)
  })

  test.each([
    ['a program', 'GET /', []],
    ['a script of the page', 'GET /assets/main-abc.js', [navigate]],
    ['a request that a proxy has passed on', 'GET /', [navigate, 'X-Forwarded-For: 203.0.113.7']],
  ])('is not redirected: %s', async (_, line, headers) => {
    expect((await visit(line, headers)).status).toBe(200)
  })
})

test('without a built interface, / explains how to build it', async () => {
  const serve = createUi(pathToFileURL(`${join(folder, 'nowhere')}/`))
  const app = createApp({
    dispatch: async () => {},
    hostnames: [],
    health: () => ({ version: '1', healthy: true }),
    fallback: serve,
  })
  const bare = await listen(app, ['127.0.0.1'], 0)
  const answer = await fetch(`http://127.0.0.1:${bare.port}`)
  expect(answer.status).toBe(200)
  expect(await answer.text()).toContain('/xrpc/<nsid>')
  await bare.close()
})

/** `fetch` would resolve the dots itself. */
function rawGet(path: string): Promise<{ status: number | undefined; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port: listener.port, path }, async (res) => {
      const chunks = await res.toArray()
      resolve({ status: res.statusCode, text: Buffer.concat(chunks).toString() })
    })
    sent.on('error', reject).end()
  })
}
