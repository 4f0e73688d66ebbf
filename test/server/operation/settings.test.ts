/** The settings over HTTP, for owners who use a browser on the computer of the server. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TOTP } from 'otpauth'
import { describe, expect, test } from 'vitest'
import { openKeptSettings } from '../../../server/platform/config/kept-settings.ts'
import { nodeFiles } from '../../../server/store/files/files.ts'
import { adminAuth, refusal, TestServer } from '../../support/server/server.ts'
import { owner, server, setupServer } from '../../support/server/setup.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'pds-test-'))
let fault: string | undefined
const files = {
  ...nodeFiles,
  async rename(from: string, to: string) {
    if (fault) throw Object.assign(new Error(`${fault}: ${to}`), { code: fault })
    return nodeFiles.rename(from, to)
  },
}
const command = { env: { PDS_RELAYS: 'https://relay.example' }, args: ['--port', '4000'] }
const settings = openKeptSettings({ ...command, dataDir, kept: {}, apply: {}, files })
setupServer({ config: { dataDir }, options: { settings }, accounts: ['olga'] })

type Auth = Parameters<typeof server.get>[2]
const read = (auth: Auth = owner) => server.get('com.core.admin.getSettings', {}, auth)
const change = (changes: Record<string, string>, auth: Auth = owner, proof: object = mine()) => {
  const list = Object.entries(changes).map(([name, value]) => ({ name, value }))
  return server.post('com.core.admin.updateSettings', { settings: list, ...proof }, auth)
}
const mine = () => ({ password: owner.password })
const find = async (name: string) =>
  (await read()).body.settings.find((each: { name: string }) => each.name === name)

test('the owner reads and changes them', async () => {
  const { body } = await read()
  expect(body).toMatchObject({ file: join(dataDir, 'settings.json'), dataFolder: dataDir })
  expect(await find('port')).toEqual({
    ...{ name: 'port', value: '4000', fallback: '2583', fixedBy: '--port', waiting: false, protected: true },
  })
  expect(await change({ userDomains: '.example.com' })).toMatchObject({ status: 200, body: { problems: [] } })
  expect(await find('userDomains')).toMatchObject({ value: '.example.com', waiting: true })
  expect((await change({ port: '5000', userDomains: '' })).body).toEqual({
    problems: [{ name: 'port', problem: 'This is set by --port.' }],
  })
  expect(await find('userDomains')).toMatchObject({ value: '.example.com' })
})

describe('without the main password of the owner', () => {
  const own = () => read().then(({ body }) => body.settings as { name: string; protected: boolean }[])
  const chosen: Record<string, string> = { userDomains: '.thief.com', aliases: 'none' }
  const service = { appViewDid: 'did:web:thief.example', appViewUrl: 'https://thief.example' }
  for (const name of ['plcUrl', 'backlinkStreamUrl', 'backlinkIndexUrl'])
    chosen[name] = 'https://thief.example'

  test.each([
    ...Object.entries(chosen).map(([name, value]) => ({ [name]: value })),
    service,
    { logLevel: 'debug', ...chosen },
  ])('a session changes no address of a service, handle domain or alias: %o', async (changes) => {
    const before = await own()
    expect(await change(changes, owner, {})).toMatchObject(refusal(400, 'PasswordRequired'))
    const wrong = refusal(401, 'AuthenticationRequired', 'Wrong password')
    expect(await change(changes, owner, { password: 'a guess' })).toMatchObject(wrong)
    expect(await own()).toEqual(before)
  })

  test('a session changes the log level, daily backups and invite codes; the admin password changes all', async () => {
    const free = { logLevel: 'debug', dailyBackups: 'off', inviteRequired: 'on', inviteInterval: '7d' }
    expect((await own()).filter((one) => !one.protected).map(({ name }) => name)).toEqual(
      expect.arrayContaining(Object.keys(free)),
    )
    expect((await own()).filter((one) => !one.protected)).toHaveLength(4)
    expect(await change(free, owner, {})).toMatchObject({ status: 200, body: { problems: [] } })
    const { body } = await server.get('com.core.server.listSecurityChanges', {}, owner)
    expect(body.changes[0]).toMatchObject({ change: 'backups', byAdmin: false })
    const { status } = await change({ plcUrl: 'https://plc.example' }, adminAuth, {})
    expect(status).toBe(200)
    const defaults = Object.fromEntries(Object.keys({ ...free, plcUrl: '' }).map((name) => [name, '']))
    expect((await change(defaults)).status).toBe(200)
  })

  test('a wrong value is named before the password is asked for', async () => {
    expect((await change({ plcUrl: 'no address' }, owner, {})).body.problems).toMatchObject([
      { name: 'plcUrl' },
    ])
  })
})

test('a change by the password is listed, and takes the second step of an account that has one', async () => {
  expect((await change({ plcUrl: 'https://plc.example' })).body).toEqual({ problems: [] })
  const { body } = await server.get('com.core.server.listSecurityChanges', {}, owner)
  expect(body.changes[0]).toMatchObject({ change: 'serverSettings', byAdmin: false })
  const holder = await server.post('com.core.factor.startTotp', mine(), owner)
  const totp = new TOTP({ secret: holder.body.secret })
  const code = () => totp.generate({ timestamp: server.clock.now().getTime() })
  const confirmation = { id: holder.body.id, name: 'Phone', code: code() }
  const { recoveryCodes } = (await server.post('com.core.factor.confirmTotp', confirmation, owner)).body
  expect(await change({ plcUrl: '' })).toMatchObject(refusal(401, 'AuthFactorTokenRequired'))
  const wrong = { ...mine(), authFactorToken: 'wrong' }
  expect(await change({ plcUrl: '' }, owner, wrong)).toMatchObject(refusal(400, 'InvalidToken'))
  expect(await find('plcUrl')).toMatchObject({ value: 'https://plc.example' })
  const right = { ...mine(), authFactorToken: recoveryCodes[0] }
  expect((await change({ plcUrl: '' }, owner, right)).body).toEqual({ problems: [] })
  const removal = { id: confirmation.id, ...mine(), authFactorToken: recoveryCodes[1] }
  expect((await server.post('com.core.factor.removeFactor', removal, owner)).status).toBe(200)
})

test('others cannot be read or changed: secrets, addresses to listen on, limits', async () => {
  const names = (await read()).body.settings.map(({ name }: { name: string }) => name)
  for (const name of [
    'adminPassword',
    'smtpUrl',
    'hosts',
    'trustedProxies',
    'allowPrivateTargets',
    'dataDir',
    'x',
  ]) {
    expect(names).not.toContain(name)
    expect(await change({ [name]: 'on' })).toMatchObject(refusal(400, 'InvalidRequest'))
  }
})

test('a folder that is full or read-only is named as the reason, and the old values stay', async () => {
  for (const code of ['ENOSPC', 'EROFS']) {
    fault = code
    const saved = await change({ inviteInterval: '7d' })
    expect(saved).toMatchObject(refusal(400, 'SettingsNotSaved', expect.stringContaining(code)))
    expect(saved.body.message).not.toContain(dataDir)
    fault = undefined
  }
  expect(await find('inviteInterval')).toMatchObject({ value: '', waiting: false })
})

test('a server in another program sends its owner there', async () => {
  const embedded = await TestServer.start()
  try {
    const holder = await embedded.account('olga')
    const elsewhere = refusal(400, 'SettingsElsewhere')
    expect(await embedded.get('com.core.admin.getSettings', {}, holder)).toMatchObject(elsewhere)
    const changed = await embedded.post('com.core.admin.updateSettings', { settings: [] }, holder)
    expect(changed).toMatchObject(elsewhere)
  } finally {
    await embedded.close()
  }
})

test('others, apps, and the owner on another computer are refused', async () => {
  const guest = await server.account('guest')
  const { accessJwt } = await server.appSession(owner, 'phone')
  expect(await read(guest)).toMatchObject(refusal(403, 'Forbidden'))
  expect(await change({ port: '1' }, guest)).toMatchObject(refusal(403, 'Forbidden'))
  expect((await read(accessJwt)).status).not.toBe(200)
  expect((await change({ port: '1' }, accessJwt)).status).not.toBe(200)
  const headers = { authorization: `Bearer ${owner.accessJwt}`, 'x-forwarded-for': '192.0.2.7' }
  const notHere = refusal(400, 'NotAtThisComputer')
  expect(await server.fetch('/xrpc/com.core.admin.getSettings', { headers })).toMatchObject(notHere)
  const body = JSON.stringify({ settings: [] })
  const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body }
  expect(await server.fetch('/xrpc/com.core.admin.updateSettings', init)).toMatchObject(notHere)
})
