/**
 * Connecting a client from Home, with a browser that asks before a site may call this computer. On an ordinary server: a network for
 * tests refuses pages of other sites.
 */
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { certificates, key } from '../support/network/certificates.ts'
import { launchBrowser } from '../support/page/browser.ts'
import { reloadUntilFrame } from '../support/page/first-frame.ts'
import { owner as alice, setupOrdinaryWorld, world } from '../support/server/setup-ordinary-world.ts'

setupOrdinaryWorld({ accounts: ['alice'] })

/** The web page of a client, which its browser takes for one of the public network. */
let site: Server
let siteUrl: string
let strict: Browser

beforeAll(async () => {
  site = createServer({ key, cert: certificates.valid }, (_, res) => {
    res.setHeader('content-type', 'text/html').end('<title>Client</title>')
  })
  await new Promise<void>((listening) => {
    site.listen(0, '127.0.0.1', listening)
  })
  const { port } = site.address() as AddressInfo
  siteUrl = `https://pds.example.com:${port}`
  strict = await launchBrowser([
    '--host-resolver-rules=MAP pds.example.com 127.0.0.1',
    `--ip-address-space-overrides=127.0.0.1:${port}=public`,
  ])
})
afterAll(async () => {
  await strict.close()
  site.close()
})

/** Opens the client, which asks the server for its description and signs in. @returns the status, or the browser's error */
async function callFrom(permissions: string[], password: string): Promise<string> {
  const profile = await strict.newContext({ ignoreHTTPSErrors: true })
  await profile.grantPermissions(permissions, { origin: siteUrl })
  const page = await profile.newPage()
  await page.goto(siteUrl)
  const body = JSON.stringify({ identifier: alice.did, password })
  const outcome = await page.evaluate(
    async ({ url, input }) => {
      try {
        await fetch(`${url}/xrpc/com.atproto.server.describeServer`)
        const headers = { 'content-type': 'application/json' }
        const answer = await fetch(`${url}/xrpc/com.atproto.server.createSession`, {
          method: 'POST',
          headers,
          body: input,
        })
        return String(answer.status)
      } catch (error) {
        return String(error)
      }
    },
    { url: world.url, input: body },
  )
  await profile.close()
  return outcome
}

const choose = (page: Page, client: string) => page.getByText(client, { exact: true }).click()

const light = (page: Page) =>
  page
    .getByRole('main')
    .getByRole('status')
    .filter({ hasText: /\.$|…$/ })

test('a client: the address, the handle and an app password are there to copy, and the light follows it', async () => {
  const page = await world.signedIn(alice)
  await page.getByText('No client has signed in yet.').waitFor()
  expect(await page.getByRole('radio').first().isChecked()).toBe(true)
  await page.getByText('Nothing to set up: you are signed in.').waitFor()
  await choose(page, 'Bluesky')
  await page.getByText('Under Hosting provider choose Custom').waitFor()
  await page.getByRole('button', { name: 'Make an app password' }).click()
  await page.getByRole('button', { name: 'Copy app password' }).click()
  const password = String(await page.evaluate('navigator.clipboard.readText()'))
  expect(password).toMatch(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/)

  expect(await callFrom([], password)).toBe('TypeError: Failed to fetch')
  expect(await light(page).first().textContent()).toBe('Waiting for the client…')
  await page.getByText('It does not connect').click()
  await page.getByText('and allow Apps on device and Local network').waitFor()

  expect(await callFrom(['local-network-access'], 'wrong password')).toBe('401')
  await page.getByText(`${new URL(siteUrl).host} has reached this server.`).waitFor()
  expect(await callFrom(['local-network-access'], password)).toBe('200')
  await page.getByText('Connected. Bluesky (').waitFor()

  await page.reload()
  // The guide folds on the next visit.
  const title = page.getByRole('heading', { name: 'Connect a client' })
  await title.waitFor()
  expect(await page.getByText('Connected: Bluesky (').isVisible()).toBe(false)
  await title.click()
  await page.getByText('Connected: Bluesky (').waitFor()
  await choose(page, 'Bluesky')
  await page.getByRole('button', { name: 'Make an app password' }).click()
  await page.getByText('It is shown here once.').waitFor()
  await choose(page, 'curl')
  await choose(page, 'Bluesky')
  await page.getByText('It is shown here once.').waitFor()
  await page.reload()
  await title.click()
  await choose(page, 'Bluesky')
  await page.getByRole('button', { name: 'Make an app password' }).click()
  await page.getByText('It is shown here once.').waitFor()
  const { body } = await world.server.get('com.core.server.listAppPasswords', {}, alice)
  expect(body.passwords.map(({ name }: { name: string }) => name)).toEqual(['Bluesky 2', 'Bluesky'])
})

test('commands and code have the app password in them, and work', async () => {
  const page = await world.signedIn(alice)
  await page.getByRole('heading', { name: 'Connect a client' }).click()
  for (const [name, expected] of [
    ['goat', `goat account login --pds-host ${world.url} -u ${alice.did} -p `],
    ['Your own program', `service: '${world.url}'`],
    ['curl', `curl ${world.url}/xrpc/com.atproto.server.createSession --json '`],
  ] as const) {
    await choose(page, name)
    await page.getByRole('button', { name: 'Make an app password' }).click()
    const code = page.locator('pre').filter({ hasText: expected })
    await page.getByText('It is shown here once.').waitFor()
    const password = /[a-z2-7]{4}(?:-[a-z2-7]{4}){3}/.exec((await code.textContent()) ?? '')?.[0]
    expect((await world.server.signIn({ ...alice, password: String(password) })).status).toBe(200)
  }
})

test('an app that signs in by OAuth gets the address, because a local handle is not found', async () => {
  const page = await world.signedIn(alice)
  await page.getByRole('heading', { name: 'Connect a client' }).click()
  await choose(page, 'An app that opens a page')
  await page.getByText('Enter the address. Apps cannot find a handle').waitFor()
  await page.getByText('Compare the app and what it asks for').waitFor()
  expect(await page.getByRole('button', { name: 'Make an app password' }).count()).toBe(0)
})

test('the guide does not take the interface for a client, also after a reload', async () => {
  const page = await world.signedIn(alice)
  for (let reload = 0; reload < 2; reload++) {
    await reloadUntilFrame(page)
    await page.getByRole('heading', { name: 'Connect a client' }).click()
    await choose(page, 'Bluesky')
    await page.getByRole('button', { name: 'Make an app password' }).click()
    await page.waitForResponse((answer) => answer.url().includes('listVisitors'))
    await page.waitForResponse((answer) => answer.url().includes('listVisitors'))
    expect(await light(page).first().textContent()).toBe('Waiting for the client…')
  }
})

test('a server without an app window says under Network how a web page is named', async () => {
  const page = await world.signedIn(alice, '/network', { width: 400 })
  await page.getByRole('heading', { name: 'Trusted web pages' }).click()
  await page.getByText('None. To add one, stop the server').waitFor()
  const command = page.getByText('npm run serve -- --trusted-origins http://localhost:5173')
  expect(await command.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)).toBe(true)
})
