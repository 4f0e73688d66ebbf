import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { day } from '../support/clock.ts'
import { fillSignIn, heading, World } from '../support/world.ts'

let world: World

beforeAll(async () => {
  world = await World.open()
  await world.server.account('owner1')
})

afterEach(async () => expect(await world.forget()).toEqual([]))

afterAll(() => world.close())

test('an email address is added, confirmed, used as second factor, and changed', async () => {
  const alice = { ...(await world.server.account('alice', { email: undefined })), email: 'alice@mail.test' }
  const page = await world.signedIn(alice, '/account')
  await page.getByText('No email address', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Add email' }).click()
  await page.getByLabel('New email address').fill(alice.email)
  await page.getByRole('dialog').getByRole('button', { name: 'Add email' }).click()
  await page.getByText('Not confirmed').waitFor()
  expect(await page.getByRole('switch', { name: 'Sign-in code' }).isDisabled()).toBe(true)

  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByText('A code was sent to alice@mail.test.').waitFor()
  await page.getByLabel('Code', { exact: true }).fill(await world.server.codeTo(alice.email))
  await page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click()
  await page.getByText('Confirmed', { exact: true }).waitFor()

  await page.getByRole('switch', { name: 'Sign-in code' }).click()
  await page.getByText('A code was sent to alice@mail.test.').waitFor()
  await page.getByLabel('Code', { exact: true }).fill(await world.server.codeTo(alice.email))
  await page.getByRole('button', { name: 'Turn on' }).click()
  await page.getByText('Sign-in code is on').waitFor()
  await page.getByRole('switch', { name: 'Sign-in code', checked: true }).waitFor()

  await page.getByRole('button', { name: 'Change email address' }).click()
  await page.getByLabel('New email address').fill('new@mail.test')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('A code was sent to alice@mail.test.').waitFor()
  await page.getByLabel('Code', { exact: true }).fill(await world.server.codeTo(alice.email))
  await page.getByRole('dialog').getByRole('button', { name: 'Change' }).click()
  await page.getByText('new@mail.test').waitFor()
  await page.getByText('Not confirmed').waitFor()
  await page.getByRole('switch', { name: 'Sign-in code', checked: false }).waitFor()
})

test('a wrong code is told, and another one can be sent', async () => {
  const bob = await world.server.account('bob')
  const page = await world.signedIn(bob, '/account')
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByText('A code was sent').waitFor()
  const first = await world.server.codeTo(bob.email)
  await page.getByLabel('Code', { exact: true }).fill('AAAAA-AAAAA')
  await page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click()
  await page.getByText('The code is not right.').waitFor()
  await page.getByRole('button', { name: 'Send another code' }).click()
  await page.getByText('Another code is on its way.').waitFor()
  const second = await world.server.codeTo(bob.email)
  expect(second).not.toBe(first)
  await page.getByLabel('Code', { exact: true }).fill(second)
  await page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click()
  await page.getByText('Email address confirmed').waitFor()
})

test('the password is changed, other sessions end, and this one goes on', async () => {
  const carla = await world.server.account('carla')
  const page = await world.signedIn(carla, '/account')
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('A code was sent').waitFor()
  await page.getByLabel('Code', { exact: true }).fill(await world.server.codeTo(carla.email))
  await page.getByLabel('New password').fill('another password')
  await page.getByRole('dialog').getByRole('button', { name: 'Change password' }).click()
  await page.getByText('Password changed. Other sessions were signed out.').waitFor()
  await page.getByRole('link', { name: 'Sessions' }).click()
  await page.getByText('This session').first().waitFor()
  expect(await page.getByRole('main').getByRole('listitem').count()).toBe(1)
})

test('a deactivated account says when it will be deleted, and comes back', async () => {
  const dan = await world.server.account('dan')
  // The server's clock is the test's; the page counts down by its own, as a browser would.
  const page = await world.signedIn(dan, '/account')
  await page.getByRole('button', { name: 'Deactivate' }).click()
  const inTenYears = new Date(Date.now() + 3650 * day).toISOString().slice(0, 10)
  await page.getByLabel('Delete it for good on').fill(inTenYears)
  await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click()
  await page.getByText(/It will be deleted for good on .*, in \d+ years?\./).waitFor()
  const deactivated = await world.server.get('com.core.server.getSession', {}, dan)
  expect(deactivated.body).toMatchObject({ active: false, status: 'deactivated' })

  await page.getByRole('button', { name: 'Activate again' }).click()
  await page.getByText('The account is active again').waitFor()
  await page.getByText('This account is deactivated.').waitFor({ state: 'detached' })
  const active = await world.server.get('com.core.server.getSession', {}, dan)
  expect(active.body.active).toBe(true)
})

test('an account is deleted behind its handle, its password and a code', async () => {
  const eve = await world.server.account('eve')
  const page = await world.signedIn(eve, '/account')
  await page.getByRole('button', { name: 'Delete…' }).click()
  await page.getByRole('button', { name: 'Send me the code' }).click()
  await page.getByText('A code was sent').waitFor()
  await page.getByLabel('Code', { exact: true }).fill(await world.server.codeTo(eve.email))
  await page.getByLabel('Your password').fill('not her password')
  await page.getByLabel('Type eve.test to confirm').fill('bob.test')
  await page.getByRole('button', { name: 'Delete for good' }).click()
  await page.getByText('This is not the handle of the account.').waitFor()
  await page.getByLabel('Type eve.test to confirm').fill('eve.test')
  await page.getByRole('button', { name: 'Delete for good' }).click()
  await page.getByText('The password is not right. Use your main password.').waitFor()
  await page.getByLabel('Your password').fill(eve.password)
  await page.getByRole('button', { name: 'Delete for good' }).click()

  await page.getByText('eve.test has been deleted').waitFor()
  await heading(page, 'Sign in').waitFor()
  await fillSignIn(page, eve)
  await page.getByText('The handle or the password is not right.').waitFor()
})

test('two accounts are signed in at once, and switched between', async () => {
  const frank = await world.server.account('frank')
  const grace = await world.server.account('grace')
  const page = await world.signedIn(frank)
  await page.getByRole('button', { name: 'Account menu, frank.test' }).click()
  await page.getByRole('menuitem', { name: 'Add an account' }).click()
  await fillSignIn(page, grace)
  await page.getByRole('button', { name: 'Account menu, grace.test' }).click()
  await page.getByRole('menuitemradio', { name: 'frank.test' }).click()
  await page.getByRole('button', { name: 'Account menu, frank.test' }).waitFor()
  await page.getByText(frank.did).waitFor()
  await page.getByRole('button', { name: 'Account menu, frank.test' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Account menu, grace.test' }).waitFor()
  const refused = await world.server.get('com.core.server.listSessions', {}, grace)
  expect(refused.body.sessions).toHaveLength(2)
})
