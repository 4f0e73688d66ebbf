/** Every call of the bridge: its effect, and the arguments and senders it refuses. */
import { existsSync } from 'node:fs'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { hostname, networkInterfaces } from 'node:os'
import { dirname, join } from 'node:path'
import type { Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Channel, MailServer, PlaceInput, RestorePoint } from '../../../electron/ground/bridge.ts'
import { listBackups } from '../../../server/operation/replicas/local/list.ts'
import { call, eventsOf, listen, refusalOf } from '../../support/desktop/bridge.ts'
import { type App, Machine, soon } from '../../support/desktop/desktop.ts'
import { startSmtpServer } from '../../support/services/smtp-server.ts'

let machine: Machine
let app: App
let page: Page
let alice: { did: string; accessJwt: string }

beforeAll(async () => {
  machine = await Machine.create()
  app = await machine.start()
  page = await app.page()
  await call(page, 'server.start')
  alice = await post('com.core.server.createAccount', { handle: 'alice.test', password: 'alice-password' })
})

afterAll(() => machine.close())

async function post<T = { did: string; accessJwt: string }>(
  nsid: string,
  input?: object,
  accessJwt?: string,
) {
  const answer = await fetch(`${machine.endpoint}/xrpc/${nsid}`, {
    method: 'POST',
    headers: {
      ...(input && { 'content-type': 'application/json' }),
      ...(accessJwt !== undefined && { authorization: `Bearer ${accessJwt}` }),
    },
    ...(input && { body: JSON.stringify(input) }),
  })
  const body = await answer.text()
  if (!answer.ok) throw new Error(body)
  return (body === '' ? {} : JSON.parse(body)) as T
}

const mail: MailServer = { host: '', port: '', security: 'tls', user: '', from: '' }
const place: PlaceInput = {
  ...{ kind: 'folder', address: '', user: '', bucket: '', region: '', accessKeyId: '', secret: '' },
}
const tooLong = 'x'.repeat(5000)

/** Per channel: lists of arguments that it must refuse. */
const wrong: { readonly [C in Channel]: readonly (readonly unknown[])[] } = {
  'server.state': [[1]],
  'server.start': [['now']],
  'server.stop': [[null]],
  'server.restart': [[{}]],
  'server.freePort': [[0]],
  'settings.view': [['all']],
  'settings.change': [
    [],
    [null],
    [[]],
    [{ unknown: 'x' }],
    [{ port: 80 }],
    [{ networkAccess: 'yes' }],
    [{ theme: 'pink' }],
    [{ logLevel: 'loud' }],
    [{ aliases: tooLong }],
    [{ port: '1' }, 2],
  ],
  'mail.change': [
    [],
    [{}],
    [{ ...mail, security: 'ssl' }],
    [{ ...mail, more: '' }],
    [mail, 1],
    [mail, tooLong],
  ],
  'mail.test': [
    [mail, 'p'],
    [mail, 1, 'a@b.test'],
    [mail, undefined, 1],
  ],
  'outbox.list': [[1]],
  'outbox.delete': [[], [1], [tooLong]],
  'outbox.restore': [[], [{}], [tooLong]],
  'outbox.test': [[], [['a@b.test']]],
  'backups.replaced': [[1]],
  'restore.undo': [[], [1], [tooLong]],
  'backups.forget': [[], [1], [tooLong]],
  'backups.export': [[1], [tooLong]],
  'restore.chooseFile': [['/etc/passwd']],
  'restore.points': [
    [],
    ['backups'],
    [{ from: 'elsewhere' }],
    [{ from: 'backups', url: 'file:///disk' }],
    [{ from: 'place' }],
    [{ from: 'otherPlace', place }],
    [{ from: 'otherPlace', place: {}, key: 'key' }],
    [{ from: 'otherPlace', place, key: tooLong }],
    [{ from: 'file', passphrase: 1 }],
  ],
  'restore.preview': [[], [{ from: 'backups' }, 1]],
  'restore.run': [[], [{ from: 'backups' }, tooLong], [{ from: 'backups' }, '', 1]],
  'restore.cancel': [[1]],
  'salvage.preview': [[1]],
  'salvage.run': [[], ['everything'], ['database', 1]],
  'repository.export': [[], [1]],
  'factors.remove': [[], [1], [tooLong], ['alice.test', 'bob.test']],
  'copies.chooseFolder': [['/tmp']],
  'copies.isElsewhere': [[1]],
  'copies.continue': [[1]],
  'copies.saveSheet': [[], [1], ['x'.repeat(200_000)]],
  'copies.chooseKey': [['/tmp/sheet']],
  'tunnel.view': [[1]],
  'tunnel.open': [[], ['80'], [443], ['443', 1]],
  'tunnel.close': [[1]],
  'tunnel.keepHandle': [[], [1], [tooLong]],
  'tunnel.openPage': [['https://evil.example']],
  'connector.view': [[1]],
  'connector.open': [
    [],
    ['pds.example.com'],
    [{ host: 'pds.example.com' }],
    [{ host: 1, token: '' }],
    [{ host: '', token: tooLong }],
  ],
  'connector.close': [[1]],
  'logs.read': [[10], [tooLong]],
  'updates.check': [['https://evil.example']],
  'app.openFolder': [[], ['/etc'], ['home']],
  'app.openPage': [[], ['https://evil.example']],
  'app.openAnswer': [
    [],
    ['file:///etc/passwd?iss=x'],
    ['javascript:alert(1)?iss=x'],
    ['smb://evil.example/?iss=x'],
    ['https://evil.example'],
    [`https://app.example/?iss=x&code=${'x'.repeat(20_000)}`],
  ],
  'app.quit': [[1]],
}
const channels = Object.keys(wrong) as Channel[]

describe('calls', () => {
  test.each(channels)('%s refuses invalid arguments', async (channel) => {
    for (const args of wrong[channel]) {
      expect(await refusalOf(page, channel, args), JSON.stringify(args)).toContain('arguments')
    }
  })

  test.each(['nothing', '', 'toString', '__proto__', 'constructor'])(
    'the unknown channel %j is refused',
    async (channel) => {
      expect(await refusalOf(page, channel, [])).toContain('unknown channel')
    },
  )

  const foreign = ['another window', 'a frame', 'another origin', 'no frame', 'a disposed frame'] as const
  test.each(foreign)('%s cannot call, and gets no sessions', async (from) => {
    for (const channel of channels) {
      const refused = app.foreignCall({ channel: 'desktop:call', args: [channel], from })
      await expect(refused, channel).rejects.toThrow('may not call')
    }
    expect(await app.foreignCall({ channel: 'desktop:initial', args: [], from })).toBe(null)
    await app.foreignCall({ channel: 'desktop:sessions', args: ['[{"did":"did:plc:evil"}]'], from })
    await app.foreignCall({ channel: 'desktop:unread', args: [99], from })
    expect((await app.look()).badge).not.toBe(99)
    // Must have no effect: otherwise quitting at the end of this file would ask.
    await app.foreignCall({ channel: 'desktop:unsaved', args: [true], from })
    const ours = await app.foreignCall({ channel: 'desktop:initial', args: [], from: 'our page' })
    expect(ours).toMatchObject({ endpoint: machine.endpoint, sessions: null })
  })

  test('before its URL is committed the page cannot call, but gets its initial values', async () => {
    const from = 'our page without URL'
    const refused = app.foreignCall({ channel: 'desktop:call', args: ['server.state'], from })
    await expect(refused).rejects.toThrow('may not call')
    const initial = await app.foreignCall({ channel: 'desktop:initial', args: [], from })
    expect(initial).toMatchObject({ endpoint: machine.endpoint })
  })

  test('refused calls are logged', async () => {
    await refusalOf(page, 'nothing', [])
    const { lines } = await call(page, 'logs.read')
    expect(lines.at(-1)).toMatchObject({
      level: 'warn',
      message: 'call refused: unknown channel',
      fields: '{"channel":"nothing"}',
    })
    expect(machine.log).toContain('IPC message from a foreign page refused')
  })
})

describe('server', () => {
  test('start, stop and restart return the new state', async () => {
    const state = await call(page, 'server.state')
    expect(state).toMatchObject({ kind: 'running', endpoint: machine.endpoint, port: machine.port })
    expect(await call(page, 'server.stop')).toEqual({ kind: 'stopped' })
    expect(await call(page, 'server.stop')).toEqual({ kind: 'stopped' })
    expect(await call(page, 'server.start')).toMatchObject({ kind: 'running' })
    expect(await call(page, 'server.start')).toMatchObject({ kind: 'running' })
    expect(await call(page, 'server.restart')).toMatchObject({ kind: 'running' })
    expect(await call(page, 'server.state')).not.toEqual(state)
    expect(await call(page, 'server.freePort')).toBeGreaterThan(0)
  })
})

describe('settings', () => {
  test('the view contains the defaults of empty settings', async () => {
    const view = await call(page, 'settings.view')
    expect(view).toMatchObject({
      settings: { port: '', networkAccess: false, closeToTray: true, theme: 'system' },
      defaults: { port: String(machine.port), userDomains: '.test', hostnames: '' },
      mail,
      hasMailPassword: false,
      dataFolder: machine.dataDir,
      hasTray: true,
    })
    expect(view.defaults.aliases).toContain('com.atproto=com.core')
  })

  test('one invalid value rejects the whole change, with an error per setting', async () => {
    const problems = await call(page, 'settings.change', {
      userDomains: '.good.test',
      port: '70000',
      hostnames: 'http://x',
      publicUrl: 'here',
      inviteInterval: 'often',
      aliases: 'a',
      plcUrl: 'ftp://x',
      trustedProxies: '0.0.0.0/0',
      trustedOrigins: '*',
      proxyPort: '70000',
      appViewDid: 'did:web:api.example.com',
    })
    const names = Object.keys(problems)
    // The server needs DID and address of the app view, or neither.
    expect(names.sort()).toEqual(
      'aliases appViewUrl hostnames inviteInterval plcUrl port proxyPort publicUrl trustedOrigins trustedProxies'.split(
        ' ',
      ),
    )
    expect(problems.port).toBe('This must be a port from 1 to 65535.')
    expect(await call(page, 'settings.change', { port: '0' })).toEqual({ port: problems.port })
    expect((await call(page, 'settings.view')).settings.userDomains).toBe('')
  })

  test('a server setting restarts the server and sends the states', async () => {
    await listen(page, 'serverState', 'settings')
    expect(
      await call(page, 'settings.change', { userDomains: '.home.test, .test', inviteRequired: 'on' }),
    ).toEqual({})
    const described = await fetch(`${machine.endpoint}/xrpc/com.core.server.describeServer`)
    expect(await described.json()).toMatchObject({
      availableUserDomains: ['.home.test', '.test'],
      inviteCodeRequired: true,
    })
    expect((await eventsOf(page, 'serverState')).map(({ kind }) => kind)).toEqual([
      'stopping',
      'stopped',
      'starting',
      'running',
    ])
    expect((await eventsOf(page, 'settings')).at(-1)?.settings.inviteRequired).toBe('on')
  })

  test('a desktop setting does not restart the server', async () => {
    await listen(page, 'serverState')
    await call(page, 'settings.change', { closeToTray: true, logLevel: 'debug', nativeNotifications: true })
    expect(await eventsOf(page, 'serverState')).toEqual([])
    await call(page, 'settings.change', { logLevel: 'info' })
  })

  test('the server is reachable from the network only with networkAccess, also by the name of the computer', async ({
    skip,
  }) => {
    const outside = Object.values(networkInterfaces())
      .flatMap((one) => one ?? [])
      .find(({ internal, family }) => !internal && family === 'IPv4')?.address
    if (outside === undefined) return skip('this machine has no address of its own')
    const address = `http://${outside}:${machine.port}/xrpc/_health`
    await expect(fetch(address)).rejects.toThrow()
    await call(page, 'settings.change', { networkAccess: true })
    expect((await fetch(address)).status).toBe(200)
    const byName = await new Promise<IncomingMessage>((resolve, reject) => {
      get(address, { headers: { host: `${hostname()}.local:${machine.port}` } }, resolve).on('error', reject)
    })
    expect(byName.resume().statusCode).toBe(200)
    await call(page, 'settings.change', { networkAccess: false })
    await expect(fetch(address)).rejects.toThrow()
  })
})

describe('mail', () => {
  test('mail.test saves nothing, mail.change saves, and no call returns the password', async () => {
    const smtp = await startSmtpServer()
    try {
      const own = {
        ...mail,
        host: '127.0.0.1',
        port: new URL(smtp.url).port,
        security: 'none' as const,
        from: 'pds@home.test',
      }
      expect(await call(page, 'mail.test', own, undefined, 'me@home.test')).toEqual({
        ok: true,
        value: undefined,
      })
      expect(smtp.messages.at(-1)?.data).toContain('A test of your mail settings')
      expect((await call(page, 'settings.view')).mail).toEqual(mail)

      const closedPort = { ...own, port: '1' }
      expect(await call(page, 'mail.test', closedPort, undefined, 'me@home.test')).toMatchObject({
        ok: false,
      })
      expect(await call(page, 'mail.test', mail, undefined, 'me@home.test')).toMatchObject({ ok: false })
      expect(await call(page, 'mail.test', own, undefined, 'no-address')).toMatchObject({ ok: false })

      expect(await call(page, 'mail.change', { ...own, host: 'a b', port: '0', from: 'x' })).toEqual({
        host: expect.any(String),
        port: expect.any(String),
        from: expect.any(String),
      })
      expect(await call(page, 'mail.change', own, 'a mail password')).toEqual({})
      const view = await call(page, 'settings.view')
      expect(view).toMatchObject({ mail: own, hasMailPassword: true })
      expect(JSON.stringify(view)).not.toContain('a mail password')
      await expect
        .poll(() => readdir(join(machine.desktopFolder, 'secrets')), soon)
        .toContain('mail-password')
      if (view.secretProtection === 'system') {
        const secret = join(machine.desktopFolder, 'secrets/mail-password')
        expect(await readFile(secret, 'latin1')).not.toContain('a mail')
      }
      expect(await call(page, 'mail.change', own)).toEqual({})
      const other = { ...own, host: 'localhost', user: 'me' }
      expect(await call(page, 'mail.change', other)).toEqual({ mailPassword: expect.any(String) })
      expect(await call(page, 'mail.test', other, undefined, 'me@home.test')).toMatchObject({ ok: false })
      expect((await call(page, 'settings.view')).hasMailPassword).toBe(true)
      await call(page, 'mail.change', mail, '')
      expect((await call(page, 'settings.view')).hasMailPassword).toBe(false)
    } finally {
      await smtp.close()
    }
  })
})

describe('outbox', () => {
  test('messages are listed, counted, deleted and restored', async () => {
    await listen(page, 'outbox')
    expect(await call(page, 'outbox.list')).toEqual([])
    expect(await call(page, 'outbox.test', 'no-address')).toMatchObject({ ok: false })
    expect(await call(page, 'outbox.test', 'me@home.test')).toEqual({ ok: true, value: undefined })
    const [message] = await call(page, 'outbox.list')
    expect(message).toMatchObject({
      to: 'me@home.test',
      code: 'TESTS-TESTS',
      subject: 'Confirm your email address',
    })
    const id = message?.id ?? ''
    expect(await call(page, 'outbox.delete', id)).toBe(true)
    expect(await call(page, 'outbox.delete', id)).toBe(false)
    expect(await call(page, 'outbox.delete', '../settings.json')).toBe(false)
    expect(await call(page, 'outbox.list')).toEqual([])
    expect(await call(page, 'outbox.restore', id)).toBe(true)
    expect(await call(page, 'outbox.list')).toEqual([message])
    await expect.poll(() => eventsOf(page, 'outbox'), soon).toEqual(expect.arrayContaining([1, 0]))
  })

  test('a message that the server adds sends the new count', async () => {
    await listen(page, 'outbox')
    const email = { email: 'alice@home.test', password: 'alice-password' }
    await post('com.core.server.updateEmail', email, alice.accessJwt)
    await fetch(`${machine.endpoint}/xrpc/com.core.server.requestEmailConfirmation`, {
      method: 'POST',
      headers: { authorization: `Bearer ${alice.accessJwt}` },
    })
    await expect.poll(() => eventsOf(page, 'outbox'), soon).toEqual([2])
    expect((await call(page, 'outbox.list'))[0]).toMatchObject({ to: 'alice@home.test' })
  })
})

describe('backups', () => {
  const source = { from: 'backups' } as const

  const make = () =>
    post<{ id: string } & RestorePoint>('com.core.admin.makeBackup', undefined, alice.accessJwt)

  test('a backup is listed, previewed and restored', async () => {
    const { at, bytes, proof } = await make()
    expect((await call(page, 'restore.points', source)).points).toContainEqual({
      ...{ at, bytes, proof, isPartial: false },
    })
    const preview = await call(page, 'restore.preview', source, at)
    expect(preview).toMatchObject({
      ok: true,
      value: { handles: ['alice.test'], records: 0, notifications: 0, createdAt: at },
    })
    // The database is compressed in the backup.
    expect(preview.ok && preview.value.bytes).toBeGreaterThan(bytes ?? Number.POSITIVE_INFINITY)

    await call(page, 'settings.change', { inviteRequired: 'auto' })
    await post('com.core.server.createAccount', { handle: 'bob.test', password: 'bob-password' })
    const restored = await call(page, 'restore.run', source, at)
    expect(restored).toMatchObject({ ok: true, value: { at, missingMedia: 0 } })
    expect(await call(page, 'server.state')).toMatchObject({ kind: 'running' })
    const [replaced] = await call(page, 'backups.replaced')
    const folder = expect.stringContaining(replaced?.name ?? 'none')
    expect(restored).toMatchObject({ value: { replaced: folder } })
    const statusOfBob = async () =>
      (await fetch(`${machine.endpoint}/xrpc/com.core.identity.resolveHandle?handle=bob.test`)).status
    expect(await statusOfBob()).toBe(400)
    expect(await call(page, 'restore.undo', '../backups')).toMatchObject({ ok: false })
    expect(await call(page, 'restore.undo', replaced?.name ?? '')).toMatchObject({ ok: true })
    expect(await statusOfBob()).toBe(200)
    const [later] = await call(page, 'backups.replaced')
    expect(await call(page, 'restore.undo', later?.name ?? '')).toMatchObject({ ok: true })
    expect(await call(page, 'server.state')).toMatchObject({ kind: 'running' })
    expect(await call(page, 'backups.forget', '../backups')).toMatchObject({ ok: false })
    const [last] = await call(page, 'backups.replaced')
    expect(await call(page, 'backups.forget', last?.name ?? '')).toEqual({ ok: true, value: undefined })
    expect(await call(page, 'backups.replaced')).toEqual([])
    expect(await statusOfBob()).toBe(400)
  })

  test('a damaged, deleted or unknown backup is refused without stopping the server', async () => {
    const { id, at } = await make()
    const [backup] = await listBackups(machine.dataDir)
    const [part = ''] = backup?.parts ?? []
    const file = join(machine.dataDir, 'backups', part)
    await writeFile(file, Buffer.alloc(backup?.bytes ?? 0))
    expect(await post('com.core.admin.checkBackup', { id }, alice.accessJwt)).toMatchObject({
      proof: { problem: expect.any(String) },
    })
    const refused = async (time: string) => [
      await call(page, 'restore.preview', source, time),
      await call(page, 'restore.run', source, time),
    ]
    await listen(page, 'serverState')
    for (const answer of await refused(at)) expect(answer).toMatchObject({ ok: false })
    for (const answer of await refused('2020-01-01T00:00:00.000Z'))
      expect(answer).toMatchObject({ ok: false })
    await rm(dirname(file), { recursive: true })
    for (const answer of await refused(at)) expect(answer).toMatchObject({ ok: false })
    expect(await eventsOf(page, 'serverState')).toEqual([])
  })

  test('a backup file with a passphrase can be saved, previewed and imported', async () => {
    const file = join(machine.folder, 'to-go.tar.gz.age')
    const chosen = (passphrase?: string) => ({ from: 'file', passphrase }) as const
    await app.answer({ canceled: true, filePath: '' })
    expect(await call(page, 'backups.export', 'a passphrase')).toEqual({ ok: true, value: undefined })
    await app.answer({ canceled: false, filePath: file })
    expect(await call(page, 'backups.export', 'a passphrase')).toEqual({ ok: true, value: file })
    expect(await readFile(file, 'latin1')).not.toContain('alice')

    await post('com.core.server.createAccount', { handle: 'carla.test', password: 'carla-password' })
    expect(await call(page, 'restore.run', chosen('a passphrase'))).toEqual({
      ok: false,
      message: 'Choose a file first.',
    })
    await app.answer({ canceled: true, filePaths: [] })
    expect(await call(page, 'restore.chooseFile')).toEqual({ ok: true, value: undefined })
    await app.answer({ canceled: false, filePaths: [join(machine.desktopFolder, 'settings.json')] })
    expect(await call(page, 'restore.chooseFile')).toMatchObject({ ok: false })
    await app.answer({ canceled: false, filePaths: [file] })
    expect(await call(page, 'restore.chooseFile')).toEqual({ ok: true, value: { file, encrypted: true } })

    await listen(page, 'serverState')
    expect(await call(page, 'restore.preview', chosen())).toMatchObject({ ok: false })
    expect(await call(page, 'restore.run', chosen('another passphrase'))).toMatchObject({ ok: false })
    expect(await eventsOf(page, 'serverState')).toEqual([])
    expect(await call(page, 'restore.preview', chosen('a passphrase'))).toMatchObject({
      ok: true,
      value: { handles: ['alice.test'] },
    })
    expect(await call(page, 'restore.run', chosen('a passphrase'))).toMatchObject({ ok: true })
    const carla = await fetch(`${machine.endpoint}/xrpc/com.core.identity.resolveHandle?handle=carla.test`)
    expect(carla.status).toBe(400)
  })

  test('a repository is exported as the CAR file of getRepo', async () => {
    const file = join(machine.folder, 'alice.car')
    await app.answer({ canceled: false, filePath: file })
    expect(await call(page, 'repository.export', alice.did)).toEqual({ ok: true, value: file })
    const car = await fetch(`${machine.endpoint}/xrpc/com.core.sync.getRepo?did=${alice.did}`)
    expect(await readFile(file)).toEqual(Buffer.from(await car.arrayBuffer()))
    await app.answer({ canceled: false, filePath: file })
    expect(await call(page, 'repository.export', 'did:plc:unknown')).toMatchObject({ ok: false })
  })
})

/** A developer may have one of the programs. */
const hasProgram = ['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin', 'C:\\Program Files\\Tailscale'].some(
  (folder) => ['tailscale', 'tailscale.exe', 'cloudflared'].some((name) => existsSync(join(folder, name))),
)

describe('app', () => {
  test.skipIf(hasProgram)('programs for a public address that are not installed are absent', async () => {
    const absent = { state: 'absent', isPublic: false }
    expect(await call(page, 'tunnel.view')).toEqual(absent)
    expect(await call(page, 'tunnel.open', '443')).toEqual(absent)
    expect(await call(page, 'connector.view')).toEqual({
      ...absent,
      target: expect.stringMatching(/^http:\/\/localhost:\d+$/),
    })
    expect((await call(page, 'settings.view')).settings.publicUrl).toBe('')
  })

  test('new log lines are read over a restart of the server, without secrets', async () => {
    const { cursor } = await call(page, 'logs.read')
    await call(page, 'server.restart')
    const { lines } = await call(page, 'logs.read', cursor)
    expect(lines.map(({ message }) => message)).toEqual(['server stopped', 'server started'])
    const { lines: all } = await call(page, 'logs.read')
    expect(all.at(-1)).toMatchObject({ level: 'info', message: 'server started' })
    expect(machine.log).not.toMatch(/password|eyJ/)
  })

  test('without a release feed the update check returns unknown', async () => {
    expect(await call(page, 'updates.check')).toMatchObject({ kind: 'unknown' })
  })

  test('the answer to an app opens in the browser, or in the app itself by its own scheme', async () => {
    const before = (await app.look()).opened.length
    const answers = ['http://127.0.0.1:43117/?iss=x&code=y', 'com.example.app:/callback#iss=x&code=y']
    for (const location of answers) {
      expect(await call(page, 'app.openAnswer', location)).toEqual({ ok: true })
    }
    await expect.poll(async () => (await app.look()).opened.slice(before), soon).toEqual(answers)
  })

  test('openFolder and openPage open known folders and pages', async () => {
    const before = (await app.look()).opened.length
    await call(page, 'app.openFolder', 'data')
    await expect.poll(async () => (await app.look()).opened.slice(before), soon).toEqual([machine.dataDir])
    await call(page, 'app.openFolder', 'backups')
    await call(page, 'app.openFolder', 'logs')
    await call(page, 'app.openPage', 'endpoint')
    await call(page, 'app.openPage', 'notices')
    // There is no update, so this opens nothing.
    await call(page, 'app.openPage', 'update')
    const folders = [join(machine.dataDir, 'backups'), join(machine.desktopFolder, 'logs')]
    const others = [...folders, machine.endpoint, `${machine.endpoint}/notices.txt`]
    await expect
      .poll(async () => (await app.look()).opened.slice(before + 1).sort(), soon)
      .toEqual(others.sort())
  })

  test('quitting removes deleted messages for good', async () => {
    const [message] = await call(page, 'outbox.list')
    await call(page, 'outbox.delete', message?.id ?? '')
    await call(page, 'app.quit').catch(() => {})
    expect(await app.exited).toBe(0)
    expect((await readdir(join(machine.dataDir, 'outbox'))).join()).not.toContain(message?.id)
  })
})
