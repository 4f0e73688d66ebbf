/** The settings over HTTP, for owners who use a browser on the computer of the server. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openKeptSettings } from '../../../server/platform/config/kept-settings.ts'
import { nodeFiles } from '../../../server/store/files/files.ts'
import { refusal, TestServer } from '../../support/server/server.ts'
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
const change = (changes: Record<string, string>, auth: Auth = owner) => {
  const list = Object.entries(changes).map(([name, value]) => ({ name, value }))
  return server.post('com.core.admin.updateSettings', { settings: list }, auth)
}
const find = async (name: string) =>
  (await read()).body.settings.find((each: { name: string }) => each.name === name)

test('the owner reads and changes them', async () => {
  const { body } = await read()
  expect(body).toMatchObject({ file: join(dataDir, 'settings.json'), dataFolder: dataDir })
  expect(await find('port')).toEqual({
    ...{ name: 'port', value: '4000', fallback: '2583', fixedBy: '--port', waiting: false },
  })
  expect(await change({ userDomains: '.example.com' })).toMatchObject({ status: 200, body: { problems: [] } })
  expect(await find('userDomains')).toMatchObject({ value: '.example.com', waiting: true })
  expect((await change({ port: '5000', userDomains: '' })).body).toEqual({
    problems: [{ name: 'port', problem: 'This is set by --port.' }],
  })
  expect(await find('userDomains')).toMatchObject({ value: '.example.com' })
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
