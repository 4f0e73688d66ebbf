/** The outbox in a browser, for the owner on the computer of the server. */
import { expect, test } from 'vitest'
import { findingsInBothSchemes } from '../support/page/accessibility.ts'
import { other as bob, owner, setupWorld, world } from '../support/server/setup-world.ts'
import { heading } from '../support/server/world.ts'

setupWorld({ accounts: ['alice', 'bob'] })

test('the owner reads the code of another person, deletes the message and brings it back', async () => {
  await world.server.post('com.core.server.requestPasswordReset', { email: bob.email })
  const code = await world.server.codeTo(bob.email)
  const page = await world.signedIn(owner)
  await page.getByRole('link', { name: 'Server' }).click()
  await page.getByText('Change the settings in the app that runs this server.').waitFor()
  await page.getByRole('link', { name: 'Outbox' }).click()
  await heading(page, 'Outbox').waitFor()
  await page.getByRole('button', { name: `Copy code ${code}` }).waitFor()
  expect(await findingsInBothSchemes(page)).toEqual([])
  await page.getByRole('button', { name: `Delete Reset your password to ${bob.email}` }).click()
  await page.getByText('The outbox is empty').waitFor()
  await page.getByRole('link', { name: 'Set up a mail server' }).waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('button', { name: `Copy code ${code}` }).waitFor()
})

test('the owner opens the outbox from the code field, and confirms the own address', async () => {
  const page = await world.signedIn(owner, '/account')
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByText('This server sends no email. The code is in its outbox').waitFor()
  await page.getByRole('button', { name: 'Open outbox' }).click()
  const outbox = page.getByRole('dialog', { name: 'Outbox' })
  const code = await world.server.codeTo(owner.email)
  await outbox.getByRole('button', { name: `Copy code ${code}` }).waitFor()
  await outbox.getByRole('button', { name: 'Close' }).click()
  await page.getByLabel('Code', { exact: true }).fill(code)
  await page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click()
  await page.getByText('Email address confirmed').waitFor()
})

test('another person has no outbox, and is sent to the owner', async () => {
  const page = await world.signedIn(bob, '/account')
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByText('Ask the owner of this server for the code.').waitFor()
  expect(await page.getByRole('button', { name: 'Open outbox' }).count()).toBe(0)
  expect(await page.getByRole('link', { name: 'Outbox' }).count()).toBe(0)
  await page.goto(`${world.url}/#/server`)
  await page.getByText('Sign in as the owner of this server, on its computer').waitFor()
})
