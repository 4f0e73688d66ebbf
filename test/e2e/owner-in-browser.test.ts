/** What the owner does in a browser on the computer of the server, as in the desktop. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openKeptSettings } from '../../server/platform/config/kept-settings.ts'
import { findingsInBothSchemes } from '../support/page/accessibility.ts'
import * as ordinary from '../support/server/setup-ordinary-world.ts'
import { other as bob, owner, setupWorld, world } from '../support/server/setup-world.ts'
import { heading } from '../support/server/world.ts'

describe('on a server in memory', () => {
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
    await page
      .getByText('The program that runs this server restores it: open its window, then choose Backups.')
      .waitFor()
    expect(await rows.getByRole('button', { name: /^Restore/ }).count()).toBe(0)
    await rows.getByRole('button', { name: /^Test again/ }).click()
    await rows.getByText('Tested', { exact: true }).waitFor()

    await rows.getByRole('button', { name: /^Delete backup of/ }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete this backup?' })
    await dialog.getByLabel('Your password').fill('a guess')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByText('Wrong password. Use your main password.').waitFor()
    expect(await findingsInBothSchemes(page)).toEqual([])
    await dialog.getByLabel('Your password').fill(owner.password)
    await dialog.getByRole('button', { name: 'Delete' }).click()
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
})

describe('on an ordinary server', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'pds-test-'))
  const command = { env: { PDS_LOG_LEVEL: 'info' }, args: [] }
  const settings = openKeptSettings({ ...command, dataDir, kept: {}, apply: {} })
  const config = { dataDir, logLevel: 'info' } as const
  ordinary.setupOrdinaryWorld({ config, options: { settings }, accounts: ['alice', 'bob'] })

  test('logs: the owner reads new lines, and filters them', async () => {
    const { server } = ordinary.world
    const page = await ordinary.world.signedIn(ordinary.owner, '/settings')
    await page.getByRole('link', { name: 'Logs' }).click()
    await heading(page, 'Logs').waitFor()
    const { log } = server.running.services
    log.warn({ host: 'mail.test' }, 'mail server timed out')
    log.info({ password: 'a secret' }, 'something else')
    const lines = page.getByRole('log')
    await lines.getByText('mail server timed out {"host":"mail.test"}').waitFor()
    await lines.getByText('something else').waitFor()
    expect(await lines.innerText()).not.toContain('a secret')
    expect(await findingsInBothSchemes(page)).toEqual([])
    await page.getByLabel('Show').selectOption('Warnings and errors')
    await lines.getByText('something else').waitFor({ state: 'detached' })
    expect(await page.getByRole('button', { name: 'Open folder' }).count()).toBe(0)
  })

  test('settings: the owner changes some, which wait for the next start, and sees which the command sets', async () => {
    const page = await ordinary.world.signedIn(ordinary.owner)
    await page.getByRole('link', { name: 'Server', exact: true }).click()
    await heading(page, 'Server').waitFor()
    await page.getByText(dataDir).waitFor()
    expect(await findingsInBothSchemes(page)).toEqual([])
    expect(await page.getByLabel('Log level').isDisabled()).toBe(true)
    await page.getByText('Set by PDS_LOG_LEVEL.').waitFor()

    const form = page.getByRole('form', { name: 'Port' }).or(page.locator('form').first())
    const dialog = page.getByRole('dialog', { name: 'Confirm the change' })
    const confirm = async (password: string) => {
      await dialog.getByLabel('Your password').fill(password)
      await dialog.getByRole('button', { name: 'Save' }).click()
    }
    await page.getByLabel('Port', { exact: true }).fill('0')
    await form.getByRole('button', { name: 'Save' }).click()
    await confirm('a guess')
    await page.getByText('This must be a port from 1 to 65535.').waitFor()
    await page.getByLabel('Port', { exact: true }).fill(' 4000 ')
    await page.getByText('Changes apply when the server is started again.').waitFor()
    await form.getByRole('button', { name: 'Save' }).click()
    await confirm('a guess')
    await dialog.getByText('Wrong password. Use your main password.').waitFor()
    expect(await findingsInBothSchemes(page)).toEqual([])
    await confirm(ordinary.owner.password)
    await page.getByText('Saved for the next start of the server: Port.').waitFor()
    await page.getByLabel('Invite codes').selectOption('Always required')
    await page.getByText('Saved for the next start of the server: Port, Invite codes.').waitFor()
    expect(await findingsInBothSchemes(page)).toEqual([])
    await page.reload()
    await page.getByText('Saved for the next start of the server: Port, Invite codes.').waitFor()

    await page.goto(`${ordinary.world.url}/#/backups`)
    await page.getByRole('switch', { name: 'Automatic backups' }).click()
    await expect.poll(() => settings.list().find(({ name }) => name === 'dailyBackups')?.value).toBe('off')
    await page.getByText('Changes apply when the server is started again.').waitFor()
  })

  test('settings and logs: another person has none', async () => {
    const page = await ordinary.world.signedIn(ordinary.other, '/settings')
    for (const name of ['Logs', 'Server', 'Backups'])
      expect(await page.getByRole('link', { name, exact: true }).count()).toBe(0)
  })
})
