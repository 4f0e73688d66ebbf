/** Journeys across several screens, on a server without accounts. */
import { expect, test } from 'vitest'
import { adminPassword } from '../support/server/client.ts'
import { setupWorld, world } from '../support/server/setup-world.ts'
import { heading, open } from '../support/server/world.ts'

setupWorld()

test('first run: the first account becomes the owner', async () => {
  const page = await world.visitor()
  await heading(page, 'Create the first account').waitFor()

  await page.getByLabel('Handle').fill('Alice')
  await page.getByText('alice.test is available').waitFor()
  await page.getByLabel('Password', { exact: true }).fill('alice-password')
  await page.getByText('Fair').waitFor()
  await page.getByRole('button', { name: 'Create account' }).click()

  await heading(page, 'Home').waitFor()
  await page.getByText('Welcome, alice.test. Your account is ready.').waitFor()
  await page.getByRole('link', { name: 'People and invites' }).click()
  await page.getByText('alice.test Owner').waitFor()
})

test('first run from another computer: asks for the admin password', async () => {
  const page = await world.visitor('/sign-in')
  await page.setExtraHTTPHeaders({ 'x-forwarded-for': '192.0.2.7' })
  await page.reload()
  await heading(page, 'Sign in').waitFor()
  await page.getByRole('link', { name: 'Create an account' }).click()
  await page.getByLabel('Handle').fill('Alice')
  await page.getByText('alice.test is available').waitFor()
  await page.getByLabel('Password', { exact: true }).fill('alice-password')
  const submit = page.getByRole('button', { name: 'Create account' })
  await submit.click()
  await page.getByText('create the first account on its own computer').waitFor()
  await page.getByLabel('Admin password').fill('a guess')
  await submit.click()
  await page.getByText('This is not the admin password of this server.').waitFor()
  await page.getByLabel('Admin password').fill(adminPassword)
  await submit.click()
  await heading(page, 'Home').waitFor()
  await page.getByRole('link', { name: 'People and invites' }).waitFor()
})

test('journey: first run, email, app password, deactivation, reactivation, deletion', async () => {
  const page = await world.visitor()
  await page.getByLabel('Handle').fill('alice')
  await page.getByLabel('Password', { exact: true }).fill('correct horse battery')
  await page.getByRole('button', { name: 'Create account' }).click()
  await heading(page, 'Home').waitFor()

  await page.getByRole('link', { name: 'add an email address' }).click()
  await page.getByRole('button', { name: 'Add email' }).click()
  await page.getByLabel('New email address').fill('alice@mail.test')
  await page.getByLabel('Your password').fill('correct horse battery')
  await page.getByRole('dialog').getByRole('button', { name: 'Add email' }).click()
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByText('The code is in its outbox').waitFor()
  await page.getByLabel('Code', { exact: true }).fill(await world.server.codeTo('alice@mail.test'))
  await page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click()
  await page.getByText('Email address confirmed').waitFor()

  await open(page, 'Account', 'Apps and sessions')
  await page.getByRole('button', { name: 'New app password' }).click()
  await page.getByRole('button', { name: 'Create' }).click()
  const password = await page.getByRole('status', { name: 'App password' }).textContent()
  await page.getByRole('button', { name: 'I saved it' }).click()
  const client = await world.server.post('com.core.server.createSession', {
    identifier: 'alice.test',
    password,
  })
  expect(client.status).toBe(200)

  await open(page, 'Account')
  await page.getByRole('button', { name: 'Deactivate' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click()
  await page.getByRole('button', { name: 'Reactivate' }).click()
  await page.getByText('Account reactivated').waitFor()

  await page.getByRole('button', { name: 'Delete…' }).click()
  await page.getByLabel('Your password').fill('correct horse battery')
  await page.getByLabel('Type alice.test to confirm').fill('alice.test')
  await page.getByRole('button', { name: 'Delete permanently' }).click()
  await heading(page, 'Create the first account').waitFor()
  const deleted = await world.server.get('com.core.server.getSession', {}, client.body)
  expect(deleted.body.error).toBe('AccountNotFound')
})

test('connection loss: only the health probe is sent, and the page recovers', async () => {
  const alice = await world.server.account('alice')
  const page = await world.signedIn(alice)
  // The requests of the first screen are answered before the server stops.
  await page.getByRole('link', { name: 'People and invites' }).waitFor()
  await page.getByText('First steps').waitFor()
  await page.getByText('No client has signed in yet.').waitFor()
  await expect.poll(() => page.getByText('Loading', { exact: true }).count()).toBe(0)
  // Home asks every few seconds whether a client has arrived.
  await open(page, 'Account')
  await page.getByText('Points to this server').waitFor()
  await page.waitForLoadState('networkidle')
  const failed: string[] = []
  page.on('requestfailed', (request) => failed.push(request.url()))
  world.server.kill()

  // The notification stream ends; one request finds that the server is down.
  await page.getByText('The server is not responding.').first().waitFor()
  await open(page, 'Account', 'Apps and sessions')
  await heading(page, 'Apps and sessions').waitFor()
  await page.getByRole('link', { name: 'Data', exact: true }).click()
  await heading(page, 'Data').waitFor()
  await page.getByRole('link', { name: 'Apps and sessions' }).click()
  // Other requests wait until the probe succeeds.
  const probes = () => failed.filter((url) => url.endsWith('_health')).length
  await expect.poll(probes).toBeGreaterThan(1)
  expect(failed.filter((url) => !url.endsWith('_health'))).toEqual([
    `${world.url}/xrpc/app.example.notification.getUnreadCount`,
  ])

  await world.server.restart()
  await page.getByRole('button', { name: 'Try now' }).click()
  await page.getByText('Connected to the server again').waitFor()
  await page.getByText('No app passwords yet').waitFor()
})
