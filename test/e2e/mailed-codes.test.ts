/** Codes by email: the server has a mail server, which takes no message, so that the tests read codes in the outbox. */
import { expect, test } from 'vitest'
import { findings } from '../support/page/accessibility.ts'
import { setupWorld, world } from '../support/server/setup-world.ts'
import { heading, open } from '../support/server/world.ts'

setupWorld({ accounts: ['owner1'], config: { smtpUrl: 'smtp://127.0.0.1:9' } })

test('an address is confirmed, and protects the account from then on: the password is changed by an emailed code', async () => {
  const carla = await world.server.account('carla')
  const page = await world.signedIn(carla, '/account')
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByRole('dialog').getByLabel('Your password').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByText(`A code was sent to ${carla.email}.`).waitFor()
  await page.getByLabel('Code', { exact: true }).fill(await world.server.codeTo(carla.email))
  await page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click()
  await page.getByText('Email address confirmed').waitFor()
  await page.getByText('Not confirmed').waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByText(`A code was sent to ${carla.email}.`).waitFor()
  await page.getByLabel('Code', { exact: true }).fill('AAAAA-AAAAA')
  await page.getByLabel('New password').fill('another password')
  await page.getByRole('dialog').getByRole('button', { name: 'Change password' }).click()
  await page.getByText('This code is wrong.').waitFor()
  await page.getByRole('button', { name: 'Send a new code' }).click()
  await page.getByText('A new code was sent.').waitFor()
  await page.getByLabel('Code', { exact: true }).fill(await world.server.codeTo(carla.email))
  await page.getByRole('dialog').getByRole('button', { name: 'Change password' }).click()
  await page.getByText('Password changed. All other sessions were signed out.').waitFor()
  await open(page, 'Account', 'Sessions')
  await page.getByText('This session').first().waitFor()
  expect(await page.getByRole('list', { name: 'Sessions' }).getByRole('listitem').count()).toBe(1)
})

test('deletion: needs the handle, the password and an emailed code', async () => {
  const eve = await world.server.account('eve')
  await world.server.confirmEmail(eve)
  const page = await world.signedIn(eve, '/account')
  await page.getByRole('button', { name: 'Delete…' }).click()
  await page.getByRole('button', { name: 'Send code' }).click()
  await page.getByText('A code was sent').waitFor()
  expect(await findings(page)).toEqual([])
  await page.getByLabel('Code', { exact: true }).fill(await world.server.codeTo(eve.email))
  await page.getByLabel('Your password').fill('not her password')
  await page.getByLabel('Type eve.test to confirm').fill('bob.test')
  await page.getByRole('button', { name: 'Delete permanently' }).click()
  await page.getByText('This is not the handle of the account.').waitFor()
  await page.getByLabel('Type eve.test to confirm').fill('eve.test')
  await page.getByRole('button', { name: 'Delete permanently' }).click()
  await page.getByText('Wrong password. Use your main password.').waitFor()
  await page.getByLabel('Your password').fill(eve.password)
  await page.getByRole('button', { name: 'Delete permanently' }).click()
  await page.getByText('eve.test was deleted').waitFor()
  await heading(page, 'Sign in').waitFor()
})

test('password reset: says that a code was sent, if there is an account', async () => {
  const page = await world.visitor('/reset')
  await page.getByLabel('Email').fill('unknown@mail.test')
  await page.getByRole('button', { name: 'Send code' }).click()
  await page.getByText('If an account uses unknown@mail.test, a code was sent to it.').waitFor()
})
