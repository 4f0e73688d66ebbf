/** Public through Tailscale: the app drives the program, and takes everything back. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { call } from '../../support/desktop/bridge.ts'
import { type App, Machine, soon } from '../../support/desktop/desktop.ts'
import { page as consentPage, type FakeState, freshState, serving } from '../../support/tunnels/tailscale.ts'

const name = freshState.name
const url = `https://${name}`
let machine: Machine
let app: App
let page: Page
let file: string

const state = () => JSON.parse(readFileSync(file, 'utf8')) as FakeState
const set = (change: Partial<FakeState>) =>
  writeFileSync(file, JSON.stringify({ ...freshState, ...change }, undefined))
const settings = async () => (await call(page, 'settings.view')).settings
const changed = async () => {
  const { publicUrl, trustedProxies, proxyPort, plcUrl, relays } = await settings()
  return { publicUrl, trustedProxies, proxyPort, plcUrl, relays }
}
const untouched = { publicUrl: '', trustedProxies: '', proxyPort: '', plcUrl: '', relays: '' }
const opened = {
  publicUrl: url,
  trustedProxies: '',
  proxyPort: expect.stringMatching(/^\d+$/),
  plcUrl: 'https://plc.directory',
  relays: 'https://bsky.network',
}

async function start(): Promise<void> {
  app = await machine.start({ tailscale: file })
  page = await app.page()
  await call(page, 'server.start')
}

beforeAll(async () => {
  machine = await Machine.create()
  file = join(machine.folder, 'tailscale.json')
  set({})
  await start()
})
afterAll(() => machine.close())
beforeEach(() => set({}))

describe('one click', () => {
  test('makes the server public, which stays over a restart of the app, and another takes it all back', async () => {
    expect(await call(page, 'tunnel.view')).toEqual({ state: 'ready', isPublic: false, url })
    expect(await call(page, 'tunnel.open', '443')).toEqual({ state: 'open', isPublic: true, url })
    expect(await changed()).toEqual(opened)
    const { proxyPort } = await settings()
    expect(Number(proxyPort)).not.toBe(machine.port)
    expect(state().config).toEqual(serving(name, '443', `http://127.0.0.1:${proxyPort}`))
    // What arrives by the tunnel is not from this computer.
    const byTunnel = await fetch(`http://127.0.0.1:${proxyPort}/xrpc/com.core.server.describeServer`)
    expect(await byTunnel.json()).not.toHaveProperty('unclaimed')
    // The server accepts its public name.
    const answer = await fetch(`${machine.endpoint}/xrpc/com.core.server.describeServer`)
    expect(((await answer.json()) as { did: string }).did).toBe(`did:web:${name}`)

    await call(page, 'tunnel.keepHandle', 'alice.test')
    await app.quit()
    await start()
    expect(await call(page, 'tunnel.view')).toEqual({
      state: 'open',
      isPublic: true,
      url,
      handle: 'alice.test',
    })
    expect(await call(page, 'tunnel.close')).toEqual({ state: 'ready', isPublic: false, url })
    expect(await changed()).toEqual(untouched)
    expect(state().config).toEqual({})
  })

  test('keeps settings that were chosen before, and takes back only its own', async () => {
    await call(page, 'settings.change', {
      plcUrl: 'https://plc.example.com',
      relays: 'https://relay.example.com',
    })
    await call(page, 'tunnel.open', '8443')
    expect(await changed()).toEqual({
      ...opened,
      publicUrl: `${url}:8443`,
      plcUrl: 'https://plc.example.com',
      relays: 'https://relay.example.com',
    })
    await call(page, 'settings.change', { relays: '' })
    await call(page, 'tunnel.close')
    expect(await changed()).toEqual({ ...untouched, plcUrl: 'https://plc.example.com' })
    await call(page, 'settings.change', { plcUrl: '' })
  })
})

describe('consent', () => {
  test('is asked on a page of the maker, and the server is public once it is given', async () => {
    set({ consent: 'wait' })
    expect(await call(page, 'tunnel.open', '443')).toMatchObject({
      ...{ state: 'consent', isPublic: false, page: consentPage },
    })
    expect((await app.look()).opened).toEqual([consentPage])
    expect(await changed()).toEqual(untouched)
    writeFileSync(file, JSON.stringify({ ...state(), consent: 'given' }))
    await expect.poll(async () => (await call(page, 'tunnel.view')).state, soon).toBe('open')
    expect(await changed()).toEqual(opened)
    await call(page, 'tunnel.close')
  })

  test('can be given up', async () => {
    set({ consent: 'wait' })
    await call(page, 'tunnel.open', '443')
    expect(await call(page, 'tunnel.close')).toMatchObject({ state: 'ready', isPublic: false })
    expect(await changed()).toEqual(untouched)
  })

  test('that is not given leaves nothing, and its page can be opened again', async () => {
    set({ consent: 'later' })
    await call(page, 'tunnel.open', '443')
    const refused = { state: 'refused', isPublic: false, page: consentPage }
    await expect.poll(() => call(page, 'tunnel.view'), soon).toMatchObject(refused)
    expect(await changed()).toEqual(untouched)
    const before = (await app.look()).opened.length
    await call(page, 'tunnel.openPage')
    expect((await app.look()).opened.slice(before)).toEqual([consentPage])
  })
})

describe('an app that is killed', () => {
  test('while the person consents, offers to go on or to take it back', async () => {
    set({ consent: 'wait' })
    await call(page, 'tunnel.open', '443')
    app.signal('SIGKILL')
    await app.exited
    writeFileSync(file, JSON.stringify({ ...state(), consent: 'given' }))
    await start()
    const { state: found, isPublic } = await call(page, 'tunnel.view')
    expect({ found, isPublic }).toEqual({ found: expect.stringMatching(/^(open|closed)$/), isPublic: false })
    expect(await call(page, 'tunnel.open', '443')).toMatchObject({ state: 'open', isPublic: true })
    await call(page, 'tunnel.close')
    expect(state().config).toEqual({})
    expect(await changed()).toEqual(untouched)
  })
})

describe('what stands between', () => {
  test.each<[string, Partial<FakeState>, object]>([
    ['its service does not run', { backend: undefined }, { state: 'notRunning' }],
    ['it is too old', { version: '1.50.1' }, { state: 'tooOld' }],
    ['it is signed out', { backend: 'NeedsLogin' }, { state: 'signedOut' }],
    ['the machine needs approval', { backend: 'NeedsMachineAuth' }, { state: 'notApproved' }],
    ['it is switched off', { backend: 'Stopped' }, { state: 'disconnected' }],
    ['the computer is offline', { online: false }, { state: 'offline' }],
    ['the machine has no name', { name: '' }, { state: 'noName' }],
    ['its output has another form', { refusal: 'garbage' }, { state: 'unclear' }],
    [
      'the port passes on to another program',
      { config: serving(name, '443', 'http://127.0.0.1:3000', false) },
      { state: 'occupied', detail: 'http://127.0.0.1:3000' },
    ],
  ])('is shown before a click: %s', async (_, fault, view) => {
    set(fault)
    expect(await call(page, 'tunnel.view')).toMatchObject({ ...view, isPublic: false })
    expect(await call(page, 'tunnel.open', '443')).toMatchObject(view)
    expect(state().calls.filter((line) => line.startsWith('funnel'))).toEqual([])
    expect(await changed()).toEqual(untouched)
  })

  test.each<[NonNullable<FakeState['refusal']>, object]>([
    ['https', { state: 'httpsOff', page: 'https://login.tailscale.com/admin/dns' }],
    ['attribute', { state: 'notAllowed', page: 'https://login.tailscale.com/admin/acls/file' }],
    ['port', { state: 'notAllowed' }],
    ['operator', { state: 'notPermitted' }],
  ])('is named after a refusal (%s), and nothing was changed', async (refusal, view) => {
    set({ refusal })
    const shown = await call(page, 'tunnel.open', '443')
    expect(shown).toMatchObject({ ...view, isPublic: false, detail: expect.any(String) })
    expect(await changed()).toEqual(untouched)
    // It was the answer to that click.
    set({})
    expect(await call(page, 'tunnel.open', '443')).toMatchObject({ state: 'open' })
    await call(page, 'tunnel.close')
  })
})

describe('a public server', () => {
  test('shows when requests no longer arrive', async () => {
    await call(page, 'tunnel.open', '443')
    const { config } = state()
    set({ backend: undefined, config })
    expect(await call(page, 'tunnel.view')).toMatchObject({ state: 'notRunning', isPublic: true, url })
    set({ online: false, config })
    expect(await call(page, 'tunnel.view')).toMatchObject({ state: 'offline', isPublic: true })
    set({ config: {} })
    expect(await call(page, 'tunnel.view')).toMatchObject({ state: 'closed', isPublic: true })
    set({ name: 'other.tail1234.ts.net', config: {} })
    expect(await call(page, 'tunnel.view')).toMatchObject({ state: 'renamed', isPublic: true })
    set({ config: {} })
    expect(await call(page, 'tunnel.open', '443')).toMatchObject({ state: 'open' })
    await call(page, 'tunnel.close')
    expect(await changed()).toEqual(untouched)
  })

  test('becomes private at once, and the tunnel goes when the program answers again', async () => {
    await call(page, 'tunnel.open', '443')
    const { config } = state()
    set({ backend: undefined, config })
    expect(await call(page, 'tunnel.close')).toMatchObject({ state: 'notRunning', isPublic: false })
    expect(await changed()).toEqual(untouched)
    set({ config, isStuck: true })
    expect(await call(page, 'tunnel.close')).toMatchObject({ isPublic: false })
    expect(state().config).toEqual(config)
    set({ config })
    expect(await call(page, 'tunnel.close')).toEqual({ state: 'ready', isPublic: false, url })
    expect(state().config).toEqual({})
  })

  test('never takes away what another program has configured', async () => {
    await call(page, 'tunnel.open', '443')
    const config = serving(name, '443', 'http://127.0.0.1:3000')
    set({ config })
    await call(page, 'tunnel.close')
    expect(state().config).toEqual(config)
    expect(await changed()).toEqual(untouched)
  })
})
