/** The pages of a network for tests: those of its servers, and the one that shows the network. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Network, startNetwork } from '../../server/testing/network.ts'
import { networkClient } from '../support/accounts/oauth.ts'
import { findingsInBothSchemes, overflowAt } from '../support/page/accessibility.ts'
import {
  type Browser,
  type BrowserContext,
  errorsOf,
  launchBrowser,
  newProfile,
  type Page,
} from '../support/page/browser.ts'
import { fillSignIn, heading } from '../support/server/world.ts'

const line = 'Network for tests: everything here is public and will be forgotten.'
const scope = 'atproto transition:generic'

let network: Network
let browser: Browser
let profile: BrowserContext
let page: Page
let errors: string[]
/** The app: the browser comes back to it with the answer. */
let app: Server
let redirect: string

beforeAll(async () => {
  app = createServer((_, res) => res.setHeader('content-type', 'text/html').end('<h1>Back in the app</h1>'))
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve))
  redirect = `http://127.0.0.1:${(app.address() as AddressInfo).port}/callback`
  network = await startNetwork()
  browser = await launchBrowser()
})
beforeEach(async () => {
  await network.reset()
  profile = await newProfile(browser)
  page = await profile.newPage()
  errors = errorsOf(page)
})
afterEach(async () => {
  await profile.close()
  expect(errors).toEqual([])
})
afterAll(async () => {
  await browser.close()
  await network.stop()
  app.close()
})

test('each page of a server shows that it is one of a network for tests', async () => {
  const alice = await network.accounts.create({ handle: 'alice' })
  await page.goto(`${network.url}/#/sign-in`)
  await page.getByText(line).waitFor()
  await fillSignIn(page, alice)
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  for (const path of ['/', '/account', '/notifications']) {
    await page.goto(`${network.url}/#${path}`)
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    expect(await page.getByText(line).isVisible()).toBe(true)
  }
  expect(await findingsInBothSchemes(page)).toEqual([])
  const { href } = await networkClient(network.url, scope, redirect).authorize('alice.test', { scope })
  await page.goto(href)
  await heading(page, 'An app on this computer asks to sign in').waitFor()
  expect(await page.getByText(line).isVisible()).toBe(true)
})

test('approve fills in the page for consent, without and with a session', async () => {
  await network.accounts.create({ handle: 'alice' })
  await network.accounts.create({ handle: 'bob' })
  const client = networkClient(network.url, scope, redirect)
  for (const name of ['alice', 'bob', 'alice']) {
    const handle = `${name}.test`
    const { href } = await client.authorize(handle, { scope })
    await page.goto(href)
    const location = await network.oauth.approve(page, name)
    expect(location.startsWith(redirect)).toBe(true)
    await page.getByRole('heading', { name: 'Back in the app' }).waitFor()
    const { session } = await client.callback(new URL(location).searchParams)
    expect(session.did).toBe((await network.accounts.get(name)).did)
  }
})

test('the page of the network shows accounts, codes, faults, the clock and requests, and refreshes itself', async () => {
  await page.goto(`${network.devUrl}/dev`)
  await page.getByText('Everything here is public and will be forgotten').waitFor()
  const row = (text: string) => page.getByRole('row').filter({ hasText: text }).first()
  await row('PDS_URL').getByText(network.url, { exact: true }).waitFor()
  await row('STREAM_URL').getByText(network.stream.url).waitFor()
  expect(await page.getByText('None').count()).toBe(4)

  const alice = await network.accounts.create({ handle: 'alice' })
  await fetch(`${network.url}/xrpc/com.atproto.server.requestPasswordReset`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: alice.email }),
  })
  network.faults.add({ nsid: 'com.atproto.repo.createRecord', status: 503, times: 2 })
  await network.clock.advance('40d')
  await row('alice.test').getByText('alice-password').waitFor()
  await page.getByText(await network.mail.code('alice'), { exact: true }).waitFor()
  await row('com.atproto.repo.createRecord').getByText('status 503, times 2').waitFor()
  await page.getByText(network.clock.now().toISOString(), { exact: true }).waitFor()
  await row('/xrpc/com.atproto.server.requestPasswordReset').getByText('200').waitFor()

  expect(await findingsInBothSchemes(page)).toEqual([])
  expect(await overflowAt(page, [1280, 360, 420])).toEqual([0, 0, 0])
  // Where there is little room, each value has a line of its own.
  const did = await row('alice.test').getByText(alice.did).boundingBox()
  expect(did?.height).toBeLessThan(30)
  expect(await findingsInBothSchemes(page)).toEqual([])
})

test('the refresh can be stopped by the keyboard, and wide tables are scrolled by it', async () => {
  await page.goto(`${network.devUrl}/dev`)
  await page.getByRole('row').first().waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  expect(await page.getByLabel('Refresh every two seconds').isChecked()).toBe(false)
  let reads = 0
  page.on('request', () => reads++)
  await network.accounts.create({ handle: 'alice' })
  await page.waitForTimeout(2500)
  expect(reads).toBe(0)
  await page.keyboard.press('Tab')
  expect(await page.evaluate('document.activeElement.getAttribute("aria-labelledby")')).toBe('servers-title')
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Space')
  await page.getByText('alice-password').waitFor()
})
