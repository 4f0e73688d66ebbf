/** Apps that sign in by OAuth: the page on which a person decides, and the approval in the app window. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { networkClient } from '../support/accounts/oauth.ts'
import { ScriptedDesktop } from '../support/desktop/desktop-bridge.ts'
import { findingsInBothSchemes } from '../support/page/accessibility.ts'
import type { Account } from '../support/server/server.ts'
import { owner as alice, other as bob, setupWorld, world } from '../support/server/setup-world.ts'
import { fillSignIn, heading } from '../support/server/world.ts'

setupWorld({ accounts: ['alice', 'bob'] })

/** The app: the browser comes back to it with the answer. */
let app: Server
let redirect: string

beforeAll(async () => {
  app = createServer((_, res) => res.setHeader('content-type', 'text/html').end('<h1>Back in the app</h1>'))
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve))
  redirect = `http://127.0.0.1:${(app.address() as AddressInfo).port}/callback`
})
afterAll(() => app.close())

const scope = 'atproto repo:app.bsky.feed.post?action=create'

interface Options {
  readonly prompt?: 'login' | 'none'
  readonly scope?: string
  /** The redirect URI of the app. */
  readonly to?: string
}

async function request({ to = redirect, ...options }: Options = {}) {
  const client = networkClient(world.url, scope, to)
  const url = await client.authorize(alice.handle, { scope, ...options })
  return { client, url: url.href }
}

/** Opens the page of a request in another browser, where it waits for an approval in the app window. @returns the number that it shows */
async function waiting(url: string) {
  const page = await world.visitor()
  await page.goto(url)
  await page.getByRole('button', { name: 'Approve in the app window' }).click()
  const shown = page.getByRole('status', { name: 'Number' })
  await expect.poll(() => shown.textContent()).toMatch(/^[1-9]\d$/)
  return { page, number: (await shown.textContent()) ?? '' }
}

/** Opens the app window, signed in to accounts. */
async function appWindow(...accounts: Account[]) {
  const desktop = new ScriptedDesktop(world.url)
  for (const account of accounts) desktop.accounts.push((await world.server.signIn(account)).body)
  const page = await world.visitor('/', {}, desktop)
  return {
    desktop,
    page,
    dialog: page.getByRole('dialog', { name: 'An app on this computer asks to sign in' }),
  }
}

test('a visitor signs in, reads what the app may do, and allows it; the app may do that and nothing else', async () => {
  const { client, url } = await request()
  const page = await world.visitor()
  await page.goto(url)
  await page.getByText(`asks to sign in as ${alice.handle}`).waitFor()
  expect(await page.getByLabel('Handle or email').inputValue()).toBe(alice.handle)
  await fillSignIn(page, alice)
  await heading(page, 'An app on this computer asks to sign in').waitFor()
  await page.getByText('see your handle and identity').waitFor()
  await page.getByText('create posts', { exact: false }).waitFor()
  // The address of its document, which says nothing about an app on loopback.
  expect(await page.getByText('http://localhost', { exact: true }).count()).toBe(0)
  expect(await findingsInBothSchemes(page)).toEqual([])
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await page.getByRole('heading', { name: 'Back in the app' }).waitFor()
  const { session } = await client.callback(new URL(page.url()).searchParams)

  const create = (collection: string) =>
    session.fetchHandler('/xrpc/com.atproto.repo.createRecord', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        repo: alice.did,
        collection,
        record: { $type: collection, text: 'from the app', createdAt: new Date().toISOString() },
      }),
    })
  expect((await create('app.bsky.feed.post')).status).toBe(200)
  const refused = await create('org.example.note')
  expect([refused.status, ((await refused.json()) as { error: string }).error]).toEqual([
    403,
    'ScopeMissingError',
  ])

  await page.goto(`${world.url}/#/apps`)
  const row = page.getByRole('listitem').filter({ hasText: `An app at ${new URL(redirect).host}/callback` })
  await row.getByText('It can see your handle and identity; create posts.').waitFor()
  await row.getByRole('button', { name: /End session/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End' }).click()
  await page.getByText('Session ended').waitFor()
  expect((await session.fetchHandler('/xrpc/com.atproto.server.getSession')).status).toBe(401)
})

test('a click counts only once the page has been in front for a moment', async () => {
  const { url } = await request()
  const page = await world.signedIn(alice)
  await page.goto(url)
  const allow = page.getByRole('button', { name: 'Allow', exact: true })
  await expect.poll(() => allow.isEnabled()).toBe(true)
  let decisions = 0
  page.on('request', (sent) => {
    if (sent.url().endsWith('decideRequest')) decisions += 1
  })
  // A window over it closes between the two clicks of a double click.
  const clicked = await page.evaluate(`
    const allow = [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Allow')
    window.dispatchEvent(new Event('focus'))
    allow.click()
    allow.ariaDisabled
  `)
  expect(clicked).toBe('true')
  await allow.click()
  await page.getByRole('heading', { name: 'Back in the app' }).waitFor()
  expect(decisions).toBe(1)
})

test('a person who denies it is sent back, and the app learns it', async () => {
  const { client, url } = await request()
  const page = await world.signedIn(alice)
  await page.goto(url)
  await page.getByRole('button', { name: 'Do not allow' }).click()
  await page.getByRole('heading', { name: 'Back in the app' }).waitFor()
  await expect(client.callback(new URL(page.url()).searchParams)).rejects.toThrow('did not allow')
})

test('a request is approved in the app window by its number, and the desktop opens the app in the browser', async () => {
  const { client, url } = await request()
  const { page, number } = await waiting(url)
  const { desktop, page: window, dialog } = await appWindow(bob, alice)
  await dialog.getByText(alice.handle).waitFor()
  expect(await dialog.textContent()).not.toContain(number)
  const allow = dialog.getByRole('button', { name: 'Allow', exact: true })
  expect(await allow.isDisabled()).toBe(true)
  await dialog.getByLabel('Number in the browser').fill(number)
  expect(await findingsInBothSchemes(window)).toEqual([])
  await allow.click()
  await window.getByText('An app on this computer may sign in').waitFor()
  await heading(page, 'This sign-in has ended').waitFor()
  await expect.poll(() => desktop.callsOf('app.openAnswer')).toHaveLength(1)
  const [[location]] = desktop.callsOf('app.openAnswer') as [[string]]
  const { session } = await client.callback(new URL(location).searchParams)
  expect(session.did).toBe(alice.did)
})

test('a person without the app window goes back from the number and signs in on the page', async () => {
  const { client, url } = await request()
  const { page } = await waiting(url)
  await page.getByRole('button', { name: 'Sign in here instead' }).click()
  await fillSignIn(page, alice)
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await page.getByRole('heading', { name: 'Back in the app' }).waitFor()
  const { session } = await client.callback(new URL(page.url()).searchParams)
  expect(session.did).toBe(alice.did)
})

test('a wrong number denies the request', async () => {
  const { page, number } = await waiting((await request()).url)
  const { desktop, dialog } = await appWindow(alice)
  await dialog.getByLabel('Number in the browser').fill(number === '99' ? '10' : String(Number(number) + 1))
  await dialog.getByRole('button', { name: 'Allow', exact: true }).click()
  await dialog.getByText('The browser shows another number, so the app may not sign in').waitFor()
  await heading(page, 'This sign-in has ended').waitFor()
  await dialog.getByText('Close', { exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(desktop.callsOf('app.openAnswer')).toEqual([])
})

test('an open dialog stays when its request ends; the next one opens after it was closed', async () => {
  const first = await waiting((await request()).url)
  const { page: window, dialog } = await appWindow(alice)
  await dialog.getByText('create posts').waitFor()
  await waiting((await request({ scope: 'atproto' })).url)
  const { body } = await world.server.get('com.core.oauth.listRequests', {}, alice)
  await world.server.post(
    'com.core.oauth.decideRequest',
    { id: body.requests[0].id, isAllowed: false },
    alice,
  )
  await heading(first.page, 'This sign-in has ended').waitFor()
  await dialog.getByText('It has expired, or was answered already').waitFor()
  await dialog.getByText('create posts').waitFor()
  expect(await dialog.getByRole('button', { name: 'Allow', exact: true }).count()).toBe(0)
  await dialog.getByText('Close', { exact: true }).click()
  await dialog.getByLabel('Number in the browser').waitFor()
  expect(await dialog.getByText('create posts').count()).toBe(0)
  await dialog.getByRole('button', { name: 'Do not allow' }).click()
  await window.getByText('An app on this computer may not sign in').waitFor()
})

test('another account than the app asks for cannot answer: the page asks for the one that was named', async () => {
  const { url } = await request()
  const page = await world.signedIn(bob)
  await page.goto(url)
  await page.getByText(`asks to sign in as ${alice.handle}`).waitFor()
  await fillSignIn(page, alice)
  await heading(page, 'An app on this computer asks to sign in').waitFor()
  expect(await page.getByLabel('Account').locator('option').allTextContents()).toEqual([alice.handle])
})

test('an app that wants a new sign-in gets one, although a session is open', async () => {
  await world.server.clock.advance(1)
  const { client, url } = await request({ prompt: 'login' })
  const page = await world.signedIn(alice)
  await world.server.clock.advance(1)
  await page.goto(url)
  await page.getByText('asks for a new sign-in').waitFor()
  expect(await page.getByRole('button', { name: 'Approve in the app window' }).count()).toBe(0)
  await fillSignIn(page, alice)
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await page.getByRole('heading', { name: 'Back in the app' }).waitFor()
  const { session } = await client.callback(new URL(page.url()).searchParams)
  expect(session.did).toBe(alice.did)
})

test('an app that wants no page gets the page at first, and is sent back once it was allowed', async () => {
  const page = await world.signedIn(alice)
  const other = `${redirect}/other`
  const { client, url } = await request({ prompt: 'none', to: other })
  await page.goto(url)
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await page.getByRole('heading', { name: 'Back in the app' }).waitFor()
  await client.callback(new URL(page.url()).searchParams)
  await page.goto((await request({ prompt: 'none', to: other })).url)
  await page.getByRole('heading', { name: 'Back in the app' }).waitFor()
  expect(new URL(page.url()).searchParams.get('error')).toBe('consent_required')
})

test('an unknown request is named, and leads nowhere', async () => {
  const page = await world.visitor()
  await page.goto(`${world.url}/oauth/authorize?client_id=http://localhost&request_uri=urn:x`)
  await heading(page, 'The request of the app is not valid').waitFor()
})
