/** The handler of `app://pds/`, called as Electron calls it: Chromium itself has no such scheme to test it with. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'

type Handler = (request: Request) => Promise<Response>
let handler: Handler

vi.mock('electron', () => ({
  protocol: {
    registerSchemesAsPrivileged: () => {},
    handle: (_: string, registered: Handler) => {
      handler = registered
    },
  },
}))
const { isOurs, serveRenderer } = await import('../../../../electron/ground/protocol.ts')

let folder: string
let endpoint = 'http://localhost:2583'

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pds-protocol-'))
  await mkdir(join(folder, 'renderer/assets'), { recursive: true })
  await writeFile(join(folder, 'secret.txt'), 'outside the renderer')
  await writeFile(join(folder, 'renderer/index.html'), '<!doctype html>')
  await writeFile(join(folder, 'renderer/assets/main-1a2b.js'), 'export {}')
  serveRenderer(join(folder, 'renderer'), () => endpoint)
})
afterAll(() => rm(folder, { recursive: true }))

const get = (url: string, method = 'GET') => handler(new Request(url, { method }))

test('the root is the page, with a policy that names the endpoint of that moment', async () => {
  const page = await get('app://pds/')
  expect(page.status).toBe(200)
  expect(await page.text()).toBe('<!doctype html>')
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(page.headers.get('x-content-type-options')).toBe('nosniff')
  const policy = page.headers.get('content-security-policy')
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain('connect-src http://localhost:2583 ws://localhost:2583')
  expect(policy).toContain("img-src 'self' data: blob: http://localhost:2583;")

  endpoint = 'http://localhost:2584'
  const later = await get('app://pds/index.html')
  expect(later.headers.get('content-security-policy')).toContain('http://localhost:2584 ws://localhost:2584')
})

test('assets have their content type', async () => {
  const script = await get('app://pds/assets/main-1a2b.js')
  expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
})

test('a file that is missing is 404', async () => {
  expect((await get('app://pds/assets/other.js')).status).toBe(404)
})

test.each([
  ['a path out of the folder', 'app://pds/..%2fsecret.txt'],
  ['a path with a backslash', 'app://pds/..%5csecret.txt'],
  ['a folder', 'app://pds/assets/'],
  ['a hidden file', 'app://pds/.env'],
  ['another host', 'app://pds.evil.example/'],
])('%s is refused', async (_, url) => {
  expect((await get(url)).status).toBe(400)
})

test('only GET is answered', async () => {
  for (const method of ['HEAD', 'POST', 'PUT']) expect((await get('app://pds/', method)).status).toBe(400)
})

test.each([
  ['app://pds/', true],
  ['app://pds/#/server', true],
  ['app://pds.evil.example/', false],
  ['app://pds:80/', false],
  ['http://pds/', false],
  ['', false],
  ['about:blank', false],
])('%j is our origin: %s', (url, expected) => {
  expect(isOurs(url)).toBe(expected)
})
