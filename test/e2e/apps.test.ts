/** Apps that sign in by OAuth: the page on which a person decides, and the approval in the app window. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findingsInBothSchemes } from '../support/accessibility.ts'
import { ScriptedDesktop } from '../support/desktop-bridge.ts'
import { networkClient } from '../support/oauth.ts'
import { owner as alice, setupWorld, world } from '../support/setup-world.ts'
import { heading } from '../support/world.ts'

setupWorld({ accounts: ['alice'], config: { publicUrl: undefined } })

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

async function request() {
  const client = networkClient(world.url, scope, redirect)
  const url = await client.authorize(alice.handle, { scope })
  return { client, url: url.href }
}

test('a visitor signs in, reads what the app may do, and allows it; the app may do that and nothing else', async () => {
  const { client, url } = await request()
  const page = await world.visitor()
  await page.goto(url)
  await page.getByText('asks to sign in to your account').waitFor()
  await page.getByLabel('Handle or email').fill(alice.handle)
  await page.getByLabel('Password', { exact: true }).fill(alice.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await heading(page, 'An app on this computer asks to sign in').waitFor()
  await page.getByText('see your handle and your identity').waitFor()
  await page.getByText('create posts', { exact: false }).waitFor()
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
  const row = page.getByRole('listitem').filter({ hasText: 'An app on this computer' })
  await row.getByText('It can see your handle and your identity and create posts').waitFor()
  await row.getByRole('button', { name: /End session/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End' }).click()
  await page.getByText('Session ended').waitFor()
  expect((await session.fetchHandler('/xrpc/com.atproto.server.getSession')).status).toBe(401)
})

test('a person who denies it is sent back, and the app learns it', async () => {
  const { client, url } = await request()
  const page = await world.signedIn(alice)
  await page.goto(url)
  await page.getByRole('button', { name: 'Do not allow' }).click()
  await page.getByRole('heading', { name: 'Back in the app' }).waitFor()
  await expect(client.callback(new URL(page.url()).searchParams)).rejects.toThrow('did not allow')
})

test('a request is approved in the app window by its number; no password is typed into the page', async () => {
  const { client, url } = await request()
  const page = await world.visitor()
  await page.goto(url)
  await page.getByRole('button', { name: 'Approve in the app window' }).click()
  const shown = page.getByRole('status', { name: 'Number' })
  await expect.poll(() => shown.textContent()).toMatch(/^[1-9]\d$/)
  const number = await shown.textContent()

  const desktop = new ScriptedDesktop(world.url)
  desktop.accounts = [(await world.server.signIn(alice)).body]
  const appWindow = await world.visitor('/', {}, desktop)
  const dialog = appWindow.getByRole('dialog', { name: 'An app on this computer asks to sign in' })
  await dialog.getByText(number ?? '', { exact: true }).waitFor()
  expect(await findingsInBothSchemes(appWindow)).toEqual([])
  await dialog.getByRole('button', { name: 'Allow', exact: true }).click()
  await appWindow.getByText('An app on this computer may sign in').waitFor()
  await page.getByRole('heading', { name: 'Back in the app' }).waitFor()
  const { session } = await client.callback(new URL(page.url()).searchParams)
  expect(session.did).toBe(alice.did)
})

test('an unknown request is named, and leads nowhere', async () => {
  const page = await world.visitor()
  await page.goto(`${world.url}/oauth/authorize?client_id=http://localhost&request_uri=urn:x`)
  await heading(page, 'The request of the app is not valid').waitFor()
})
