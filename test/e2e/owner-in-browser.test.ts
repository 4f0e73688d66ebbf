/** What the owner does in a browser on the computer of the server, as in the desktop. */
import { expect, test } from 'vitest'
import { findingsInBothSchemes } from '../support/page/accessibility.ts'
import { other as bob, owner, setupWorld, world } from '../support/server/setup-world.ts'
import { heading } from '../support/server/world.ts'

setupWorld({ accounts: ['alice', 'bob'] })

test('backups: the owner makes one, tests it, deletes it and brings it back', async () => {
  const page = await world.signedIn(owner)
  await page.getByRole('link', { name: 'Backups', exact: true }).click()
  await heading(page, 'Backups').waitFor()
  const local = page.getByRole('list', { name: 'Places' }).getByRole('listitem').first()
  await local.getByText('No backup yet.').waitFor()
  await page.getByRole('button', { name: 'Back up now' }).click()
  await page.getByText(/^Backup created, /).waitFor()
  await local.getByText('Tested', { exact: true }).waitFor()
  await page.getByText('Restore points', { exact: true }).click()
  const rows = page.getByRole('list', { name: 'Restore points of This computer' }).getByRole('listitem')
  await expect.poll(() => rows.count()).toBe(1)
  expect(await findingsInBothSchemes(page)).toEqual([])
  await rows.getByRole('button', { name: /^Test again/ }).click()
  await rows.getByText('Tested', { exact: true }).waitFor()

  await rows.getByRole('button', { name: /^Delete backup of/ }).click()
  await local.getByText('No backup yet.').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await local.getByText('Tested', { exact: true }).waitFor()
})

test('backups: another page shows that one is being made, and a failure says what to do', async () => {
  const page = await world.signedIn(owner, '/backups')
  const made = { id: 'x', at: '2030-01-01T00:00:00.000Z', bytes: 1, partial: false }
  let making = true
  await page.route('**/com.core.admin.listBackups', (route) =>
    route.fulfill({ json: { backups: [made], making, folder: '/data/backups' } }),
  )
  const message = 'The disk is full. Free disk space, then try again.'
  await page.route('**/com.core.admin.makeBackup', (route) =>
    route.fulfill({ status: 400, json: { error: 'BackupFailed', message } }),
  )
  await page.reload()
  const button = page.getByRole('button', { name: 'Back up now' })
  await page.getByRole('status').getByText('Creating a backup…').waitFor({ state: 'attached' })
  expect(await button.getAttribute('aria-disabled')).toBe('true')
  making = false
  await page.getByRole('status').getByText('Creating a backup…').waitFor({ state: 'detached' })
  await button.click()
  await page.getByText(message).waitFor()
})

test('another person has no backups', async () => {
  const page = await world.signedIn(bob)
  expect(await page.getByRole('link', { name: 'Backups' }).count()).toBe(0)
  await page.goto(`${world.url}/#/backups`)
  await page.getByText('Sign in as the owner of this server to see its places.').waitFor()
  expect(await page.getByRole('button', { name: 'Back up now' }).count()).toBe(0)
})
