/** An owner without an email address. On an ordinary server: it shares a directory with the one that the account moves to. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PlcDirectory } from '../support/accounts/plc.ts'
import { TestServer } from '../support/server/server.ts'
import { setupOrdinaryWorld, world } from '../support/server/setup-ordinary-world.ts'
import { heading } from '../support/server/world.ts'

let directory: PlcDirectory
let there: TestServer
const shared = () => ({ plcUrl: directory.url, allowPrivateTargets: true, publicUrl: undefined })
beforeAll(async () => {
  directory = await PlcDirectory.start()
  there = await TestServer.start({ ...shared(), userDomains: ['.there.test'] })
})
afterAll(async () => {
  await there.close()
  await directory.close()
})
setupOrdinaryWorld({ config: shared })

test('an owner without an email address changes the password, moves the account, and deletes it here', async () => {
  const olive = await world.server.account('olive', { email: undefined })
  const page = await world.signedIn(olive, '/account')
  await page.getByRole('button', { name: 'Change password' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Your password').fill(olive.password)
  await dialog.getByLabel('New password').fill('a better password')
  await dialog.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('Password changed. All other sessions were signed out.').waitFor()

  await page.getByRole('main').getByRole('link', { name: 'Move' }).click()
  await page.getByLabel('New server').fill(there.running.services.origin)
  await page.keyboard.press('Enter')
  await page.getByLabel('New password for').fill('a password there')
  await page.getByRole('button', { name: 'Start the move' }).click()
  await page.getByLabel('Your password').fill(olive.password)
  await page.getByRole('button', { name: 'Confirm the move' }).click()
  await page.getByText('Wrong password. Use your main password.').waitFor()
  await page.getByLabel('Your password').fill('a better password')
  await page.getByRole('button', { name: 'Confirm the move' }).click()
  await heading(page, `Your account lives at ${new URL(there.running.services.origin).host} now`).waitFor()

  await page.goto(`${world.url}/#/account`)
  await page.getByRole('button', { name: 'Delete…' }).click()
  await dialog.getByLabel('Your password').fill('a better password')
  await dialog.getByLabel('Type olive.test to confirm').fill('olive.test')
  await dialog.getByRole('button', { name: 'Delete permanently' }).click()
  await page.getByText('olive.test was deleted').waitFor()
  const moved = await there.signIn({ handle: 'olive.there.test', password: 'a password there' })
  expect(moved.body).toMatchObject({ did: olive.did, active: true })
})
