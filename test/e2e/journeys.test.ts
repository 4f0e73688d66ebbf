/** Journeys across several screens. */
import { expect, test } from 'vitest'
import { TestServer } from '../support/server/server.ts'
import { heading, open, World } from '../support/server/world.ts'

test('journey: first run, email, app password, deactivation, reactivation, deletion', async () => {
  const world = await World.open()
  try {
    const page = await world.visitor()
    await page.getByLabel('Handle').fill('alice')
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery')
    await page.getByLabel('Email').fill('alice@mail.test')
    await page.getByRole('button', { name: 'Create account' }).click()
    await heading(page, 'Home').waitFor()

    await page.getByRole('link', { name: 'Manage account' }).click()
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByText('A code was sent').waitFor()
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
    await page.getByRole('button', { name: 'Send code' }).click()
    await page.getByText('A code was sent').waitFor()
    await page.getByLabel('Code', { exact: true }).fill(await world.server.codeTo('alice@mail.test'))
    await page.getByLabel('Your password').fill('correct horse battery')
    await page.getByLabel('Type alice.test to confirm').fill('alice.test')
    await page.getByRole('button', { name: 'Delete permanently' }).click()
    await heading(page, 'Create the first account').waitFor()
    const deleted = await world.server.get('com.core.server.getSession', {}, client.body)
    expect(deleted.body.error).toBe('AccountNotFound')
    expect(await world.closeProfiles()).toEqual([])
  } finally {
    await world.close()
  }
})

test('connection loss: only the health probe is sent, and the page recovers', async () => {
  const free = await TestServer.start()
  const { port } = free.running
  await free.close()
  const world = await World.open({ port })
  try {
    const alice = await world.server.account('alice')
    const page = await world.signedIn(alice)
    // The requests of the first screen are answered before the server stops.
    await page.getByRole('link', { name: 'People and invites' }).waitFor()
    await page.getByText('No notifications in the last 14 days.').waitFor()
    await page.getByText(/ in total$/).waitFor()
    // Home asks every few seconds whether a client has arrived.
    await open(page, 'Account')
    await page.getByText('Repository blocks').waitFor()
    await page.waitForLoadState('networkidle')
    const failed: string[] = []
    page.on('requestfailed', (request) => failed.push(request.url()))
    await world.server.running.close()

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

    await world.server.open()
    await page.getByRole('button', { name: 'Try now' }).click()
    await page.getByText('Connected to the server again').waitFor()
    await page.getByText('No app passwords yet').waitFor()
  } finally {
    await world.closeProfiles()
    await world.close()
  }
})
