/** Copies and restores in a browser on the computer of the server, which `npm run serve` starts again. */
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { makeBackup } from '../../server/operation/replicas/local/backups.ts'
import { findingsInBothSchemes } from '../support/page/accessibility.ts'
import { launchBrowser } from '../support/page/browser.ts'
import { ServeProcess } from '../support/server/serve-process.ts'
import type { Account } from '../support/server/server.ts'
import { World } from '../support/server/world.ts'

let server: ServeProcess
let world: World<ServeProcess>
let owner: Account
let disk: string

beforeAll(async () => {
  server = await ServeProcess.start()
  world = World.of(server, await launchBrowser())
  owner = await server.account('alice')
  disk = await server.makeFolder('disk')
})
// While the server starts again, the browser logs that it cannot be reached.
afterEach(() => world.closeProfiles())
afterAll(() => world.close())

test('the owner adds a folder, gets the recovery sheet, and restores the server from its copy', async () => {
  const page = await world.signedIn(owner, '/backups')
  await page.getByRole('button', { name: 'Add a place…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a place' })
  await dialog.getByLabel('Folder').last().fill(`${disk}-none`)
  await dialog.getByLabel('Your password').fill(owner.password)
  await dialog.getByRole('button', { name: 'Check and add' }).click()
  await dialog.getByText('There is no folder').waitFor()
  await dialog.getByLabel('Folder').last().fill(disk)
  await dialog.getByRole('button', { name: 'Check and add' }).click()
  await dialog.getByText('This folder is on the same disk as the server').waitFor()
  expect(await findingsInBothSchemes(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Add it all the same' }).click()

  const sheet = page.getByRole('dialog', { name: 'Recovery sheet' })
  await sheet.getByRole('article', { name: 'Recovery sheet' }).waitFor()
  const saved = page.waitForEvent('download')
  await sheet.getByRole('button', { name: 'Save to a file…' }).click()
  expect((await saved).suggestedFilename()).toBe('recovery-sheet.txt')
  await page.keyboard.press('Escape')
  await page.getByText('Print or save the recovery sheet.').waitFor({ state: 'detached' })

  const row = page.getByRole('list', { name: 'Places' }).locator('> li').last()
  await row.getByText('Up to date').waitFor()
  await server.account('later')
  await row.getByText('Restore points', { exact: true }).click()
  await row
    .getByRole('button', { name: /^Restore as of/ })
    .last()
    .click()
  const restore = page.getByRole('dialog', { name: 'Restore the server?' })
  await restore.getByText('alice.test').waitFor()
  expect(await findingsInBothSchemes(page)).toEqual([])
  await restore.getByLabel('Type restore to confirm').fill('restore')
  await restore.getByLabel('Your password').fill('wrong')
  await restore.getByRole('button', { name: 'Restore', exact: true }).click()
  await restore.getByText('Wrong password').or(restore.locator('[aria-invalid=true]')).first().waitFor()
  await restore.getByLabel('Your password').fill(owner.password)
  await restore.getByRole('button', { name: 'Restore', exact: true }).click()
  await page.getByRole('dialog', { name: 'The server is restored' }).waitFor()
  expect(await server.ask('getCopies', owner)).toMatchObject({
    places: [{ url: pathToFileURL(`${disk}/desktop-pds-copy`).href }],
  })
})

/** A new backup on the screen of the owner, and its dialog, filled in. */
async function confirmedRestore() {
  await makeBackup({ dataDir: server.dataDir, now: () => new Date() })
  const page = await world.signedIn(owner, '/backups')
  await page.getByText('Restore points', { exact: true }).first().click()
  const rows = page.getByRole('list', { name: 'Restore points of This computer' }).getByRole('listitem')
  await rows
    .getByRole('button', { name: /^Restore as of/ })
    .first()
    .click()
  const restore = page.getByRole('dialog', { name: 'Restore the server?' })
  await restore.getByLabel('Type restore to confirm').fill('restore')
  await restore.getByLabel('Your password').fill(owner.password)
  return { page, restore }
}

test('a restore of a server that no longer answers says what to do', async () => {
  const { page, restore } = await confirmedRestore()
  await page.route('**/com.core.admin.restoreServer', (route) => route.fulfill({ status: 200 }))
  await page.route('**/com.core.admin.getRestore', (route) => route.abort())
  await page.clock.install()
  const asked = page.waitForRequest('**/com.core.admin.getRestore')
  await restore.getByRole('button', { name: 'Restore', exact: true }).click()
  await asked
  await page.clock.runFor(65_000)
  await restore.getByText('The server has not answered for a minute.').waitFor()
})

test('a restored backup from before the sign-in ends the session, and the result is shown', async () => {
  const { page, restore } = await confirmedRestore()
  await restore.getByRole('button', { name: 'Restore', exact: true }).click()
  await page.getByRole('dialog', { name: 'The server is restored' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
})
