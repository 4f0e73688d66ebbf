/** What of the desktop can be looked at without one. */
import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { DesktopBridge } from '../../electron/bridge.ts'
import { openLogs } from '../../electron/logs.ts'
import { mailProblems, mailTexts } from '../../electron/mail-settings.ts'
import { failureOf } from '../../electron/server.ts'
import { signedIn } from '../../electron/sessions.ts'
import { checkForUpdates, isNewer } from '../../electron/updates.ts'
import { defaultSize, placeOn } from '../../electron/window-place.ts'

describe('the place of the window', () => {
  const laptop = { x: 0, y: 25, width: 1440, height: 875 }
  const second = { x: 1440, y: 0, width: 1920, height: 1080 }

  test('is remembered, on any display', () => {
    const place = { x: 1600, y: 40, width: 900, height: 700, maximized: true }
    expect(placeOn([laptop, second], place)).toEqual(place)
  })

  test.each([
    ['of a display that is gone', { x: 1600, y: 40, width: 900, height: 700 }],
    ['above the display', { x: 100, y: -300, width: 900, height: 700 }],
    ['below the display', { x: 100, y: 890, width: 900, height: 700 }],
    ['of which too little can be taken hold of', { x: 1420, y: 40, width: 900, height: 700 }],
  ])('%s is given up', (_, place) => {
    expect(placeOn([laptop], place)).toMatchObject(defaultSize)
    expect(placeOn([laptop], place)).not.toHaveProperty('x')
  })

  test('is the usual one at first, and never too small to use', () => {
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

  test('tell a newer version and its page', async () => {
    expect(await check(release('v0.10.0'))).toEqual({
      kind: 'available',
      version: '0.10.0',
      page: 'https://releases.example/v1',
      checkedAt,
    })
  })

  test.each(['0.9.0', 'v0.8.9'])('%s is none', async (tag) => {
    expect(await check(release(tag))).toEqual({ kind: 'current', checkedAt })
  })

  test.each([
    ['no release', '{}'],
    ['no version', release('latest')],
    ['a page that is not of the web', release('1.0.0', 'file:///etc/passwd')],
    ['no JSON', '<html>'],
    ['far too much', `{"tag_name": "1.0.0", "x": "${'x'.repeat(600_000)}"}`],
  ])('are unknown when the answer is %s', async (_, answer) => {
    expect(await check(answer)).toMatchObject({ kind: 'unknown' })
  })

  test.each([404, 302, 500])('are unknown when the status is %i', async (status) => {
    expect(await check(release('1.0.0'), status)).toMatchObject({ kind: 'unknown' })
  })

  test('are unknown without a network, and without a project', async () => {
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

describe('a mail server', () => {
  const mail = { host: 'mail.example.com', port: '', security: 'tls' as const, user: '', from: '' }

  test.each([
    [mail, 'smtps://mail.example.com:465/'],
    [{ ...mail, security: 'starttls' as const }, 'smtp://mail.example.com:587/?requireTLS=true'],
    [
      { ...mail, security: 'none' as const, port: '2525' },
      'smtp://mail.example.com:2525/?ignoreTLS=true&requireTLS=false',
    ],
    [{ ...mail, user: 'me@x', host: '::1' }, 'smtps://me%40x:p%3A%2F@[::1]:465/'],
    [{ ...mail, host: '' }, ''],
  ])('%o is %s', (settings, smtpUrl) => {
    expect(mailTexts(settings, 'p:/').smtpUrl).toBe(smtpUrl)
  })

  test('that cannot be one is told by field', () => {
    expect(mailProblems(mail)).toEqual({})
    expect(Object.keys(mailProblems({ ...mail, host: 'a,b', port: '0', from: 'me' }))).toEqual([
      'host',
      'port',
      'from',
    ])
  })
})

describe('the log', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pds-logs-'))
  })
  afterEach(() => rm(folder, { recursive: true }))
  const line = (message: string, more: object = {}) =>
    `${JSON.stringify({ level: 'info', time: '2026-11-21T09:45:00.000Z', ...more, msg: message })}\n`

  test('is begun anew when it is large, and the oldest goes', async () => {
    const logs = openLogs(folder, 150)
    for (let count = 1; count <= 12; count++) logs.write(line(`line ${count}`))
    expect((await readdir(folder)).sort()).toEqual(['pds.1.log', 'pds.2.log', 'pds.log'])
    expect(await readFile(join(folder, 'pds.log'), 'utf8')).toContain('line 12')
    for (const name of await readdir(folder)) expect((await stat(join(folder, name))).size).toBeLessThan(300)
    expect(logs.tail()).toHaveLength(12)
  })

  test('goes on where it was, keeps the last 2,000 lines, and tells each', () => {
    openLogs(folder).write(line('before'))
    const logs = openLogs(folder)
    const heard: string[] = []
    logs.onLine(({ message }) => heard.push(message))
    for (let count = 1; count <= 2005; count++) logs.write(line(`${count}`, { port: count }))
    expect(logs.tail()).toHaveLength(2000)
    expect(logs.tail().at(-1)).toEqual({
      time: '2026-11-21T09:45:00.000Z',
      level: 'info',
      message: '2005',
      fields: '{"port":2005}',
    })
    expect(heard).toHaveLength(2005)
  })

  test('does without a file where none can be written', () => {
    const logs = openLogs(join(folder, 'a\0b'))
    logs.write(line('still told'))
    expect(logs.tail().map(({ message }) => message)).toEqual(['still told'])
  })
})

describe('a start that fails', () => {
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
  ])('with %s of %s is told as %s', (code, syscall, failure) => {
    const failed = failureOf(system(code, syscall), config)
    expect(failed).toMatchObject({ kind: 'failed', failure, port: 80 })
    if (failure === 'not-writable') expect(failed).toMatchObject({ path: '/data' })
  })
})

test('the desktop has the same young generation as the server alone', () => {
  const { v8Flags, scripts } = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'),
  )
  expect(scripts.serve).toContain(v8Flags)
  expect(v8Flags).toContain('--max-semi-space-size')
})

test('which accounts are signed in is read from whatever the page has kept', () => {
  expect(signedIn('[{"did":"did:plc:a"},{"did":1},null,{"did":"did:plc:b"}]')).toEqual([
    'did:plc:a',
    'did:plc:b',
  ])
  for (const text of [null, '', 'no JSON', '{}', '1']) expect(signedIn(text)).toEqual([])
})

describe('the preload script', () => {
  /** Runs the built script as a sandboxed one is run: with a `require` that knows `electron` alone. */
  function run(initial: object | null) {
    const exposed: Record<string, DesktopBridge> = {}
    let tell = (..._: unknown[]) => {}
    const ipcRenderer = {
      on: (_: string, listener: typeof tell) => {
        tell = listener
      },
      sendSync: () => {
        tell({}, 'serverState', { kind: 'stopped' })
        return initial
      },
    }
    const contextBridge = {
      exposeInMainWorld: (name: string, api: DesktopBridge) => {
        exposed[name] = api
      },
    }
    const source = readFileSync(join(import.meta.dirname, '../../dist/electron/preload.cjs'), 'utf8')
    new Function('require', 'exports', source)(() => ({ contextBridge, ipcRenderer }), {})
    return { exposed, tell: (...told: unknown[]) => tell({}, ...told) }
  }

  test('gives a page that is not ours nothing', () => {
    expect(run(null).exposed).toEqual({})
  })

  test('keeps what is told before the page listens, the latest of each', () => {
    const { exposed, tell } = run({ endpoint: 'http://localhost:2583', sessions: null })
    tell('serverState', { kind: 'starting' })
    tell('log', { message: 'a line' })
    const heard: unknown[] = []
    const end = exposed.desktop?.on('serverState', (state) => heard.push(state.kind))
    exposed.desktop?.on('log', (line) => heard.push(line))
    exposed.desktop?.on('serverState', (state) => heard.push(`also ${state.kind}`))
    tell('serverState', { kind: 'stopped' })
    end?.()
    tell('serverState', { kind: 'starting' })
    expect(heard).toEqual(['starting', 'stopped', 'also stopped', 'also starting'])
  })
})
