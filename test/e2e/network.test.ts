/** The Network screen: for the owner of an ordinary server behind a faulty proxy, and in the desktop with its settings. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ConnectorView, TunnelView } from '../../electron/ground/bridge.ts'
import { ScriptedDesktop, settings } from '../support/desktop/desktop-bridge.ts'
import { trustTestAuthority } from '../support/network/certificates.ts'
import { resolveNames, restoreNames } from '../support/network/names.ts'
import { ReverseProxy } from '../support/network/proxy.ts'
import { findings, overflow } from '../support/page/accessibility.ts'
import {
  owner as alice,
  other as bob,
  setupOrdinaryWorld,
  world,
} from '../support/server/setup-ordinary-world.ts'
import { heading } from '../support/server/world.ts'
import { FakeRelay } from '../support/services/fake-relay.ts'
import { json, StubService } from '../support/services/stub-service.ts'

const host = 'pds.example.com'
let proxy: ReverseProxy
let relay: StubService

beforeAll(async () => {
  proxy = await ReverseProxy.start()
  relay = await StubService.start()
})
afterAll(async () => {
  restoreNames()
  trustTestAuthority(false)
  await proxy.close()
  await relay.close()
})
setupOrdinaryWorld({
  config: () => ({
    publicUrl: `https://${host}:${proxy.port}`,
    proxyPort: 0,
    trustedOrigins: ['http://localhost:5173'],
    relays: [relay.url],
  }),
  accounts: ['alice', 'bob'],
})
beforeAll(() => {
  proxy.upstreamPort = Number(new URL(world.server.proxyUrl).port)
  trustTestAuthority()
  resolveNames({ [host]: ['127.0.0.1'] })
})

const clipboard = 'navigator.clipboard.readText()'

describe('browser', () => {
  test('the owner checks the address, and gets the fix of a problem for the chosen proxy', async () => {
    proxy.faults = { maxBody: 1_000_000 }
    const page = await world.signedIn(alice, '/network')
    await page.getByRole('heading', { name: 'Reverse proxy or tunnel' }).click()
    await page.getByText('nginx', { exact: true }).click()
    await page.getByRole('button', { name: 'Check now' }).focus()
    await page.keyboard.press('Enter')
    const checks = page.getByRole('list', { name: 'Checks' }).getByRole('listitem')
    const uploads = checks.filter({ hasText: 'Uploads' })
    await uploads.getByRole('img', { name: 'Failed' }).waitFor()
    await uploads.getByText('it answers 413').waitFor()
    await uploads.getByRole('button', { name: 'Copy' }).click()
    await expect.poll(() => page.evaluate(clipboard)).toContain('client_max_body_size 300m;')
    await checks.filter({ hasText: 'Certificate' }).getByRole('img', { name: 'OK' }).waitFor()
    await page
      .getByRole('status')
      .getByText(/^\d problems found\.$/)
      .waitFor()
    expect(await findings(page)).toEqual([])

    proxy.faults = {}
    await page.getByRole('button', { name: 'Check again' }).click()
    await uploads.getByRole('img', { name: 'OK' }).waitFor()
  })

  test('pages that may read like programs are listed, with how to end that', async () => {
    const page = await world.signedIn(alice, '/network')
    await page.getByRole('heading', { name: 'Trusted web pages' }).waitFor()
    await page.getByText('http://localhost:5173').waitFor()
    await page.getByText('delete it from PDS_TRUSTED_ORIGINS').waitFor()
  })

  test('configurations have the names and ports of the server, and the keyboard chooses among them', async () => {
    const page = await world.signedIn(alice, '/network')
    await page.getByRole('heading', { name: 'Reverse proxy or tunnel' }).click()
    await page.getByRole('radio', { name: 'Caddy' }).focus()
    const copy = page.getByRole('button', { name: 'Copy configuration' })
    const port = world.server.running.proxyPort
    for (const line of [
      `reverse_proxy 127.0.0.1:${port}`,
      `proxy_pass http://127.0.0.1:${port};`,
      `tailscale funnel --bg ${port}`,
      `service: http://localhost:${port}`,
    ]) {
      await copy.click()
      await expect.poll(() => page.evaluate(clipboard)).toContain(line)
      await page.locator('input:checked').last().focus()
      await page.keyboard.press('ArrowRight')
    }
  })

  test('the way in use, and the command for another one', async () => {
    const page = await world.signedIn(alice, '/network', { width: 320 })
    await page.getByText('Current', { exact: true }).waitFor()
    await page.getByText('Stop the server and start it').nth(1).click()
    await page.getByRole('button', { name: 'Copy command' }).last().click()
    await expect.poll(() => page.evaluate(clipboard)).toBe('npm run serve -- --host 0.0.0.0')
    await page.getByText(/^All \d+ reasons$/).click()
    const mail = page.getByRole('list', { name: 'Outgoing requests' }).getByRole('listitem')
    await mail.filter({ hasText: 'Email' }).getByText('Off').waitFor()
    await page.getByText('No servers yet').waitFor()
    await page.getByRole('heading', { name: 'Activity index of the network' }).click()
    await page.getByText('Set PDS_BACKLINK_STREAM_URL').waitFor()
    expect(await overflow(page)).toBe(0)
  })

  test('relays are asked again, and the outcome is shown', async () => {
    const page = await world.signedIn(alice, '/network')
    const row = page.getByRole('list', { name: 'Relays' }).getByRole('listitem')
    relay.respond = json({ error: 'HostBanned' }, 400)
    await page.getByRole('heading', { name: 'Relays' }).click()
    const ask = page.getByRole('button', { name: 'Notify relays now' })
    await ask.click()
    await row.getByText('HostBanned').waitFor()
    relay.reset()
    await ask.click()
    await row.getByText('Connected').waitFor()
    expect(await row.getByText('HostBanned').count()).toBe(0)
  })

  test('other accounts have no such screen', async () => {
    const page = await world.signedIn(bob, '/network')
    await page.getByText('Sign in as the owner').waitFor()
    expect(await page.getByRole('link', { name: 'Network' }).count()).toBe(0)
  })
})

describe('what the network sees', () => {
  let seeing: FakeRelay
  beforeAll(async () => {
    seeing = await FakeRelay.start()
  })
  afterAll(() => seeing.close())

  test('is asked for on a click, and each state comes with what helps', async () => {
    const { server } = world
    const [before] = server.config.relays
    // The screen shows the relays of the configuration.
    relay.respond = (res, req) => {
      const { search } = new URL(req.url ?? '', relay.url)
      const path = (req.url ?? '').split('?')[0]
      void fetch(`${seeing.url}${path}${search}`, { method: 'GET' }).then(async (answer) => {
        res.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
      })
    }
    expect(before).toBe(relay.url)
    const page = await world.signedIn(alice, '/network')
    await page.getByRole('meter', { name: 'Events of the last hour' }).waitFor()
    await page.getByText(/^\d+ of 10,000 that relays accept/).waitFor()
    await page.getByRole('button', { name: 'Look now' }).click()
    const rows = page.getByRole('list', { name: 'Who sees this server' }).getByRole('listitem')
    await rows.getByText('does not know this server yet').waitFor()
    await rows.getByText('Not seen').waitFor()
    await rows.getByRole('button', { name: 'Notify' }).waitFor()

    const { body } = await server.get('com.core.sync.getHostStatus', { hostname: `${host}:${proxy.port}` })
    seeing.host = { seq: body.seq, status: 'active' }
    const { body: head } = await server.get('com.core.sync.getLatestCommit', { did: alice.did })
    seeing.repos.set(alice.did, { active: true, rev: head.rev })
    await page.getByRole('button', { name: 'Look again' }).click()
    await rows.getByText('It has everything.').waitFor()
    await rows.getByText(`Not known: ${bob.handle}.`).waitFor()
    expect(await findings(page)).toEqual([])
    await rows.getByRole('button', { name: 'Announce again' }).click()
    await page.getByText('1 account announced.').waitFor()
    const { body: after } = await server.get('com.core.sync.getHostStatus', {
      hostname: `${host}:${proxy.port}`,
    })
    expect(after.seq).toBeGreaterThan(body.seq)
    await page.getByRole('button', { name: 'Look again' }).click()
    await rows.getByText(/\d+ events? behind/).waitFor()
    seeing.host = { seq: after.seq, status: 'throttled' }
    await page.getByRole('button', { name: 'Look again' }).click()
    await rows.getByText('slowed down').waitFor()
    relay.respond = json({})
  })
})

describe('desktop', () => {
  let desktop: ScriptedDesktop
  beforeEach(() => {
    desktop = new ScriptedDesktop(world.url)
    desktop.accounts = [alice]
  })
  const open = () => world.visitor('/network', {}, desktop)
  const change = () => desktop.callsOf('settings.change')

  test('opening the server to the network is confirmed, closing it is not', async () => {
    const page = await open()
    await page.getByRole('radio', { name: 'Local network' }).click()
    const dialog = page.getByRole('dialog', { name: 'Allow connections from other devices?' })
    await dialog.getByText('are not encrypted').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(await page.getByRole('radio', { name: 'This computer' }).isChecked()).toBe(true)
    expect(change()).toEqual([])
    await page.getByRole('radio', { name: 'Local network' }).click()
    await dialog.getByRole('button', { name: 'Allow connections' }).click()
    await page.getByText('Other devices can connect').waitFor()
    await page.getByLabel('Additional host names').waitFor()
    await page.getByRole('radio', { name: 'This computer' }).click()
    await page.getByText('Only this computer can connect').waitFor()
    expect(change()).toEqual([
      [{ networkAccess: true, publicUrl: '' }],
      [{ networkAccess: false, publicUrl: '' }],
    ])
  })

  test('the public way needs an address, and a port for a proxy on this computer unless changed', async () => {
    const page = await open()
    await page.getByRole('radio', { name: 'Public' }).click()
    const address = page.getByLabel('Public address')
    expect(await page.getByLabel('Port for a proxy on this computer').inputValue()).toBe('2584')
    expect(change()).toEqual([])
    const save = desktop.handlers['settings.change']
    desktop.handlers['settings.change'] = () => ({ publicUrl: 'This must be an https origin.' })
    await address.fill('pds.example.com')
    await page.keyboard.press('Enter')
    await page.getByText('This must be an https origin.').waitFor()
    desktop.handlers['settings.change'] = save
    await address.fill('https://pds.example.com')
    await page.keyboard.press('Enter')
    await page.getByText('Saved', { exact: true }).waitFor()
    expect(change().at(-1)).toEqual([{ publicUrl: 'https://pds.example.com', proxyPort: '2584' }])
    expect(await page.getByRole('radio', { name: 'Public' }).isChecked()).toBe(true)
    expect(await findings(page)).toEqual([])

    await page.getByRole('switch', { name: 'Connections from other devices' }).click()
    await page.getByRole('button', { name: 'Allow connections' }).click()
    await page.getByText('Other devices can connect').waitFor()
    expect(change().at(-1)).toEqual([{ networkAccess: true }])
  })

  test('making the server private again is confirmed', async () => {
    desktop.view = { ...desktop.view, settings: { ...settings, publicUrl: 'https://pds.example.com' } }
    const page = await open()
    await page.getByRole('radio', { name: 'This computer' }).click()
    await page.getByRole('dialog').getByText('Other servers will no longer reach this one.').waitFor()
    await page.getByRole('button', { name: 'Make private' }).click()
    await page.getByText('Only this computer can connect').waitFor()
    expect(change()).toEqual([[{ networkAccess: false, publicUrl: '' }]])
  })

  test('settings need neither a session nor a running server', async () => {
    desktop.accounts = []
    desktop.state = { kind: 'stopped' }
    const page = await open()
    await heading(page, 'Network').waitFor()
    await page.getByRole('heading', { name: 'Services' }).click()
    await page.getByLabel('PLC directory').waitFor()
    await page.getByLabel('Activity index of the network: stream').waitFor()
    await page.getByText('Sign in as the owner').waitFor()
  })

  test('a tunnel is opened and taken back, and no way leaves it behind', async () => {
    const url = 'https://laptop.tail1234.ts.net'
    desktop.tunnel = { state: 'ready', isPublic: false, url }
    const page = await open()
    await page.getByRole('radio', { name: 'Public' }).click()
    await page.getByText('Your address will be laptop.tail1234.ts.net.').waitFor()
    expect(await findings(page)).toEqual([])
    const consent = 'https://login.tailscale.com/f/funnel'
    desktop.tunnel = { state: 'consent', isPublic: false, url, page: consent }
    await page.getByRole('button', { name: 'Go public' }).click()
    await page.getByText('asks for your consent').waitFor()
    expect(desktop.callsOf('tunnel.open')).toEqual([['443']])
    await page.getByRole('button', { name: 'Open page' }).click()
    expect(await findings(page)).toEqual([])
    // The page looks again by itself while the person consents.
    desktop.tunnel = { state: 'open', isPublic: true, url, handle: 'alice.test' }
    desktop.view = { ...desktop.view, settings: { ...settings, publicUrl: url } }
    await desktop.emit('settings', desktop.view)
    await page.getByText('Public at laptop.tail1234.ts.net').waitFor()
    await page.getByRole('button', { name: 'Stop being public' }).click()
    await page.getByRole('dialog').getByText('Your handle becomes alice.test again.').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()

    await page.getByRole('radio', { name: 'This computer' }).click()
    await page.getByRole('button', { name: 'Make private' }).click()
    await page.getByText('Only this computer can connect').waitFor()
    expect(desktop.callsOf('tunnel.close')).toEqual([[]])
  })

  test('a tunnel of Cloudflare asks for a host name and a token, and says what is wrong with them', async () => {
    const target = 'http://localhost:2583'
    desktop.connector = { state: 'ready', isPublic: false, target }
    const page = await open()
    await page.getByRole('radio', { name: 'Public' }).click()
    await page.getByRole('heading', { name: 'Through Cloudflare' }).click()
    await page.getByText('passwords included').waitFor()
    await page.getByText(target, { exact: true }).waitFor()
    const host = page.getByLabel('Public hostname')
    await host.fill('a-b.trycloudflare.com')
    await page.getByLabel('Command or token').fill('eyJ0')
    desktop.handlers['connector.open'] = () => ({ host: 'The name of a quick tunnel changes.' })
    await page.keyboard.press('Enter')
    await page.getByText('The name of a quick tunnel changes.').waitFor()
    expect(await findings(page)).toEqual([])

    const url = 'https://pds.example.com'
    desktop.handlers['connector.open'] = () => {
      desktop.connector = {
        state: 'elsewhere',
        isPublic: false,
        target,
        url,
        detail: 'http://localhost:3000',
      }
      return {}
    }
    await host.fill('pds.example.com')
    await page.keyboard.press('Enter')
    await page.getByText('leads to something else').waitFor()
    await page.getByText('Where it leads').click()
    await page.getByText('http://localhost:3000', { exact: true }).waitFor()
    expect(await findings(page)).toEqual([])

    // The page looks again by itself.
    desktop.connector = { state: 'open', isPublic: true, target, url, handle: 'alice.test' }
    desktop.view = { ...desktop.view, settings: { ...settings, publicUrl: url } }
    await page.getByText('Public at pds.example.com').waitFor()
    expect(await page.getByRole('heading', { name: 'Through Tailscale' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Stop being public' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Your handle becomes alice.test again.').waitFor()
    await dialog.getByText('the token is deleted').waitFor()
    await dialog.getByRole('button', { name: 'Stop being public' }).click()
    await expect.poll(() => desktop.callsOf('connector.close')).toEqual([[]])
    expect(desktop.callsOf('tunnel.close')).toEqual([])
  })

  test.each<[ConnectorView['state'], string]>([
    ['absent', 'cloudflared is not installed'],
    ['tooOld', 'too old'],
    ['rejected', 'does not accept this token'],
    ['offline', 'has no connection'],
    ['ended', 'ended'],
  ])('a tunnel of Cloudflare that is %s says what to do', async (state, text) => {
    desktop.connector = { state, isPublic: false, target: 'http://localhost:2583' }
    const page = await open()
    await page.getByRole('radio', { name: 'Public' }).click()
    await page.getByRole('heading', { name: 'Through Cloudflare' }).click()
    await page.getByText(text).waitFor()
    expect(await page.getByLabel('Public hostname').count()).toBe(state === 'absent' ? 0 : 1)
    expect(await findings(page)).toEqual([])
  })

  test.each<[TunnelView, string, string[]]>([
    [{ state: 'absent', isPublic: false }, 'Tailscale is not installed', ['Look again']],
    [
      { state: 'occupied', isPublic: false, detail: 'http://127.0.0.1:3000' },
      'leads to another program',
      ['Use port 8443', 'Use port 10000', 'Look again'],
    ],
    [
      { state: 'unclear', isPublic: false, detail: 'Something new' },
      'that this app cannot read',
      ['Go public', 'Look again'],
    ],
    [{ state: 'closed', isPublic: false }, 'was not finished', ['Stop being public']],
    [{ state: 'open', isPublic: false }, 'still has the address', ['Stop being public']],
  ])('a tunnel that is $state says what to do', async (view, text, buttons) => {
    desktop.tunnel = view
    const page = await open()
    await page.getByRole('radio', { name: 'Public' }).click()
    await page.getByText(text).waitFor()
    for (const name of buttons) await page.getByRole('button', { name, exact: true }).first().waitFor()
    expect(await findings(page)).toEqual([])
    if (view.detail === undefined) return
    await page.getByText('What Tailscale says').click()
    await page.getByText(view.detail, { exact: true }).waitFor()
  })
})
