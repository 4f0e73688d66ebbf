/** Public through Cloudflare: the app runs the program while it is public, and takes everything back. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { call } from '../../support/desktop/bridge.ts'
import { type App, Machine, soon } from '../../support/desktop/desktop.ts'
import {
  connectorToken,
  type FakeConnector,
  freshConnector,
  writeConnector,
} from '../../support/tunnels/cloudflared.ts'

const host = 'pds.example.com'
const url = `https://${host}`
let machine: Machine
let app: App
let page: Page
let file: string
let target: string

const state = () => JSON.parse(readFileSync(file, 'utf8')) as FakeConnector
const set = (change: Partial<FakeConnector>) => writeConnector(file, { ...state(), ...change })
const view = () => call(page, 'connector.view')
const open = (token = connectorToken) => call(page, 'connector.open', { host, token })
const changed = async () => {
  const { publicUrl, trustedProxies, proxyPort, plcUrl, relays } = (await call(page, 'settings.view'))
    .settings
  return { publicUrl, trustedProxies, proxyPort, plcUrl, relays }
}
const untouched = { publicUrl: '', trustedProxies: '', proxyPort: '', plcUrl: '', relays: '' }
const becomes = (expected: object) => expect.poll(view, soon).toMatchObject(expected)
const leadsHere = () => [{ hostname: host, service: target }]
/** An ended process has no command line, even before its parent has read its status. */
const isRunning = (pid = 0) => {
  const file = `/proc/${pid}/cmdline`
  return existsSync(file) && readFileSync(file, 'utf8') !== ''
}
const secret = () => existsSync(join(machine.desktopFolder, 'secrets/tunnel-token'))

async function start(): Promise<void> {
  app = await machine.start({ cloudflared: file })
  page = await app.page()
  await call(page, 'server.start')
}

beforeAll(async () => {
  machine = await Machine.create()
  file = join(machine.folder, 'cloudflared.json')
  writeConnector(file, freshConnector)
  await start()
  target = (await view()).target
  // The ordinary port is for this computer, and a tunnel has its own.
  expect(Number(new URL(target).port)).not.toBe(machine.port)
})
afterAll(() => machine.close())
beforeEach(() => writeConnector(file, { ...freshConnector, ingress: leadsHere() }))
afterEach(async () => {
  await call(page, 'connector.close')
  expect(await changed()).toEqual(untouched)
  expect(secret()).toBe(false)
})

describe('a token and a host name', () => {
  test('make the server public, which stays over a restart of the app, until both are taken back', async () => {
    expect(await view()).toEqual({ state: 'ready', isPublic: false, target })
    expect(await open(`sudo cloudflared service install ${connectorToken}`)).toEqual({})
    await becomes({ state: 'open', isPublic: true, url })
    expect(await changed()).toEqual({
      ...{ publicUrl: url, trustedProxies: '', proxyPort: new URL(target).port },
      ...{ plcUrl: 'https://plc.directory', relays: 'https://bsky.network' },
    })
    const [run] = state().runs
    expect(run?.token).toBe(connectorToken)
    // Other users of the computer can read arguments.
    expect(run?.args).not.toContain(connectorToken.slice(0, 20))
    expect(readFileSync(join(machine.desktopFolder, 'settings.json'), 'utf8')).not.toContain(connectorToken)
    // It restarts with the changed settings.
    await call(page, 'server.start')
    const answer = await fetch(`${machine.endpoint}/xrpc/com.core.server.describeServer`)
    expect(((await answer.json()) as { did: string }).did).toBe(`did:web:${host}`)
    // What arrives by the tunnel is not from this computer.
    const byTunnel = await fetch(`${target}/xrpc/com.core.server.describeServer`)
    expect(await byTunnel.json()).not.toHaveProperty('unclaimed')

    await call(page, 'tunnel.keepHandle', 'alice.test')
    await app.quit()
    if (process.platform === 'linux') expect(isRunning(run?.pid)).toBe(false)
    await start()
    await becomes({ state: 'open', isPublic: true, url, handle: 'alice.test' })
    await call(page, 'connector.close')
    expect(await view()).toEqual({ state: 'ready', isPublic: false, target })
    if (process.platform === 'linux') expect(isRunning(state().runs.at(-1)?.pid)).toBe(false)
    expect(machine.log).not.toContain(connectorToken)
  })

  test.each<[string, string, object]>([
    ['no host name', 'pds', { host: expect.stringContaining('host name') }],
    ['a quick tunnel', 'a-b-c.trycloudflare.com', { host: expect.stringContaining('changes at each start') }],
    ['no token', host, { token: expect.stringContaining('not the token') }],
  ])('are refused with the reason: %s', async (_, name, problems) => {
    const token = name === host ? 'hunter2' : connectorToken
    expect(await call(page, 'connector.open', { host: name, token })).toEqual(problems)
    expect(state().runs).toEqual([])
  })
})

describe('the server stays private', () => {
  test('until its host name leads to it, and then becomes public by itself', async () => {
    set({ ingress: null })
    await open()
    await becomes({ state: 'noRoute', isPublic: false })
    set({ ingress: [{ hostname: 'other.example.com', service: target }] })
    await becomes({ state: 'noRoute', isPublic: false })
    set({ ingress: [{ hostname: host, service: 'http://localhost:3000' }] })
    await becomes({ state: 'elsewhere', isPublic: false, detail: 'http://localhost:3000' })
    set({ ingress: [{ hostname: host, path: '/blog', service: target }] })
    await becomes({ state: 'elsewhere', detail: `${target} (/blog)` })
    expect(await changed()).toEqual(untouched)
    set({ ingress: leadsHere() })
    await becomes({ state: 'open', isPublic: true })
  })

  test('with a token that Cloudflare refuses', async () => {
    set({ behaviour: 'unauthorized' })
    await open()
    await becomes({ state: 'rejected', isPublic: false, detail: expect.stringContaining('Unauthorized') })
  })

  test.each<[FakeConnector['behaviour'], object]>([
    ['offline', { state: 'offline' }],
    ['old', { state: 'tooOld' }],
    ['garbage', { state: 'ended', detail: 'cloudflared 9 speaks another language' }],
  ])('and nothing is left when the program cannot connect (%s)', async (behaviour, shown) => {
    set({ behaviour })
    await open()
    await becomes({ ...shown, isPublic: false })
    await expect.poll(async () => (await view()).url, soon).toBeUndefined()
    await expect.poll(secret, soon).toBe(false)
    // Another attempt starts anew.
    set({ behaviour: 'connects' })
    await open()
    await becomes({ state: 'open', isPublic: true })
  })

  test('when the app is killed before it was public', async () => {
    set({ ingress: null })
    await open()
    await becomes({ state: 'noRoute' })
    const { pid } = state().runs.at(-1) ?? {}
    app.signal('SIGKILL')
    await app.exited
    if (pid !== undefined) process.kill(pid)
    await start()
    await becomes({ state: 'ready', isPublic: false })
  })
})

describe('a public server', () => {
  beforeEach(async () => {
    await open()
    await becomes({ state: 'open', isPublic: true })
  })

  test('gets its program back when that ends', async () => {
    process.kill(state().runs.at(-1)?.pid ?? 0, 'SIGKILL')
    await expect.poll(() => state().runs.length, soon).toBe(2)
    await becomes({ state: 'open', isPublic: true })
  })

  test('shows that it has no connection, that it leads elsewhere, and recovers', async () => {
    set({ isConnected: false })
    await becomes({ state: 'offline', isPublic: true })
    set({ isConnected: true, ingress: [{ hostname: host, service: 'http://localhost:3000' }] })
    await becomes({ state: 'elsewhere', isPublic: true })
    set({ ingress: leadsHere() })
    await becomes({ state: 'open', isPublic: true })
  })

  test('is public through one program at a time', async () => {
    expect(await call(page, 'tunnel.open', '443')).toMatchObject({ isPublic: false })
    expect((await changed()).publicUrl).toBe(url)
  })
})
