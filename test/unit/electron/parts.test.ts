/** Parts of the desktop that need no Electron. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { serverArgs } from '../../../build/server-args.ts'
import type { DesktopBridge } from '../../../electron/ground/bridge.ts'
import { failureOf } from '../../../electron/server/start-failure.ts'
import { signedIn } from '../../../electron/settings/session-dids.ts'
import { defaultSize, placeOn } from '../../../electron/settings/window-place.ts'
import { openLogs } from '../../../electron/system/logs.ts'
import { checkForUpdates, isNewer } from '../../../electron/system/update-check.ts'

describe('window position', () => {
  const laptop = { x: 0, y: 25, width: 1440, height: 875 }
  const second = { x: 1440, y: 0, width: 1920, height: 1080 }

  test('a saved position is restored on any display', () => {
    const place = { x: 1600, y: 40, width: 900, height: 700, maximized: true }
    expect(placeOn([laptop, second], place)).toEqual(place)
  })

  test.each([
    ['on a removed display', { x: 1600, y: 40, width: 900, height: 700 }],
    ['above the display', { x: 100, y: -300, width: 900, height: 700 }],
    ['below the display', { x: 100, y: 890, width: 900, height: 700 }],
    ['with too little of the title bar to drag', { x: 1420, y: 40, width: 900, height: 700 }],
  ])('a position %s is discarded', (_, place) => {
    expect(placeOn([laptop], place)).toMatchObject(defaultSize)
    expect(placeOn([laptop], place)).not.toHaveProperty('x')
  })

  test('the default size applies at first, and a minimum size always', () => {
    expect(placeOn([laptop], null)).toEqual(defaultSize)
    expect(placeOn([laptop], { x: 10, y: 30, width: 10, height: 10 })).toMatchObject({
      width: 420,
      height: 480,
    })
  })
})

describe('updates', () => {
  const now = () => new Date('2026-11-21T09:45:00.000Z')
  const checkedAt = '2026-11-21T09:45:00.000Z'

  async function check(answer: string, status = 200) {
    const server = createServer((_, res) => res.writeHead(status, { location: '/' }).end(answer))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    try {
      return await checkForUpdates({ feed: new URL(`http://127.0.0.1:${port}/`), current: '0.9.0', now })
    } finally {
      server.close()
    }
  }
  const release = (tag: string, page = 'https://releases.example/v1') =>
    JSON.stringify({ tag_name: tag, html_url: page })

  test('a newer release is available, with its page', async () => {
    expect(await check(release('v0.10.0'))).toEqual({
      kind: 'available',
      version: '0.10.0',
      page: 'https://releases.example/v1',
      checkedAt,
    })
  })

  test.each(['0.9.0', 'v0.8.9'])('release %s is current', async (tag) => {
    expect(await check(release(tag))).toEqual({ kind: 'current', checkedAt })
  })

  test.each([
    ['no release', '{}'],
    ['no version', release('latest')],
    ['a page that is not of the web', release('1.0.0', 'file:///etc/passwd')],
    ['no JSON', '<html>'],
    ['far too much', `{"tag_name": "1.0.0", "x": "${'x'.repeat(600_000)}"}`],
  ])('the state is unknown if the response is %s', async (_, answer) => {
    expect(await check(answer)).toMatchObject({ kind: 'unknown' })
  })

  test.each([404, 302, 500])('the state is unknown if the status is %i', async (status) => {
    expect(await check(release('1.0.0'), status)).toMatchObject({ kind: 'unknown' })
  })

  test('the state is unknown without a network and without a feed', async () => {
    const nowhere = { feed: new URL('http://127.0.0.1:1/'), current: '1.0.0' }
    expect(await checkForUpdates(nowhere)).toMatchObject({ kind: 'unknown' })
    expect(await checkForUpdates({ feed: undefined, current: '1.0.0' })).toMatchObject({ kind: 'unknown' })
  })

  test.each([
    ['1.0.0', '0.9.9', true],
    ['0.10.0', '0.9.0', true],
    ['0.9.1', '0.9.0', true],
    ['0.9.0', '0.9.0', false],
    ['0.9.0', '0.9.0-beta.1', false],
    ['0.8.9', '0.9.0', false],
  ])('%s is newer than %s: %s', (version, current, expected) => {
    expect(isNewer(version, current)).toBe(expected)
  })
})

describe('log', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pds-logs-'))
  })
  afterEach(() => rm(folder, { recursive: true }))
  const line = (message: string, more: object = {}) =>
    `${JSON.stringify({ level: 'info', time: '2026-11-21T09:45:00.000Z', ...more, msg: message })}\n`

  test('files are rotated by size, and the oldest is deleted', async () => {
    const logs = openLogs(folder, 150)
    for (let count = 1; count <= 12; count++) logs.write(line(`line ${count}`))
    expect((await readdir(folder)).sort()).toEqual(['pds.1.log', 'pds.2.log', 'pds.log'])
    expect(await readFile(join(folder, 'pds.log'), 'utf8')).toContain('line 12')
    for (const name of await readdir(folder)) expect((await stat(join(folder, name))).size).toBeLessThan(300)
    expect(logs.after().lines).toHaveLength(12)
  })

  test('appends to the existing file, and keeps the last 2,000 lines', () => {
    openLogs(folder).write(line('before'))
    const logs = openLogs(folder)
    for (let count = 1; count <= 2005; count++) logs.write(line(`${count}`, { port: count }))
    const { lines } = logs.after()
    expect(lines).toHaveLength(2000)
    expect(lines.at(-1)).toEqual({
      time: '2026-11-21T09:45:00.000Z',
      level: 'info',
      message: '2005',
      fields: '{"port":2005}',
    })
  })

  test('lines stay in memory if no file can be written', () => {
    const logs = openLogs(join(folder, 'a\0b'))
    logs.write(line('in memory'))
    expect(logs.after().lines.map(({ message }) => message)).toEqual(['in memory'])
  })
})

describe('failed start', () => {
  const config = { port: 80, dataDir: '/data' }
  const system = (code: string, syscall = 'open') =>
    Object.assign(new Error(`${code}: no`), { code, syscall })

  test.each([
    ['EADDRINUSE', 'listen', 'port-taken'],
    ['EACCES', 'listen', 'other'],
    ['EACCES', 'mkdir', 'not-writable'],
    ['EPERM', 'open', 'not-writable'],
    ['EROFS', 'open', 'not-writable'],
    ['ENOTDIR', 'mkdir', 'not-writable'],
    ['ENOSPC', 'write', 'not-writable'],
    ['EIO', 'read', 'other'],
  ])('%s of %s is %s', (code, syscall, failure) => {
    const failed = failureOf(system(code, syscall), config)
    expect(failed).toMatchObject({ kind: 'failed', failure, port: 80 })
    if (failure === 'not-writable') expect(failed).toMatchObject({ path: '/data' })
  })
})

test('npm run serve starts the server with the V8 flags that package.json gives Electron', () => {
  expect(serverArgs.join(' ')).toMatch(/^--max-semi-space-size=\d+ --heap-growing-percent=\d+ /)
  const serve = join(import.meta.dirname, '../../../build/serve.ts')
  expect(execFileSync(process.execPath, [serve, '--help'], { encoding: 'utf8' })).toContain('--data-dir')
})

test('DIDs of signed-in accounts are read from stored sessions, none from invalid ones', () => {
  expect(signedIn('[{"did":"did:plc:a"},{"did":1},null,{"did":"did:plc:b"}]')).toEqual([
    'did:plc:a',
    'did:plc:b',
  ])
  for (const text of [null, '', 'no JSON', '{}', '1']) expect(signedIn(text)).toEqual([])
})

describe('preload script', () => {
  /** Runs the built script with a `require` that has `electron` only, as in the sandbox. */
  function run(initial: object | null) {
    const exposed: Record<string, DesktopBridge> = {}
    let send = (..._: unknown[]) => {}
    const ipcRenderer = {
      on: (_: string, listener: typeof send) => {
        send = listener
      },
      sendSync: () => {
        send({}, 'serverState', { kind: 'stopped' })
        return initial
      },
    }
    const contextBridge = {
      exposeInMainWorld: (name: string, api: DesktopBridge) => {
        exposed[name] = api
      },
    }
    const source = readFileSync(join(import.meta.dirname, '../../../dist/electron/preload.cjs'), 'utf8')
    new Function('require', 'exports', source)(() => ({ contextBridge, ipcRenderer }), {})
    return { exposed, send: (...args: unknown[]) => send({}, ...args) }
  }

  test('exposes nothing to a foreign page', () => {
    expect(run(null).exposed).toEqual({})
  })

  test('replays the last value of each event that was sent before the page listened', () => {
    const { exposed, send } = run({ endpoint: 'http://localhost:2583', sessions: null })
    send('serverState', { kind: 'starting' })
    send('outbox', 1)
    const received: unknown[] = []
    const end = exposed.desktop?.on('serverState', (state) => received.push(state.kind))
    exposed.desktop?.on('outbox', (count) => received.push(count))
    exposed.desktop?.on('serverState', (state) => received.push(`also ${state.kind}`))
    send('serverState', { kind: 'stopped' })
    end?.()
    send('serverState', { kind: 'starting' })
    expect(received).toEqual(['starting', 1, 'stopped', 'also stopped', 'also starting'])
  })
})
