/** The Backups screen. With a scripted bridge. */
import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { RestorePoint } from '../../../electron/ground/bridge.ts'
import { StoreUnavailable } from '../../../server/store/files/store-errors.ts'
import { content, done, failed } from '../../support/desktop/desktop-bridge.ts'
import {
  backups,
  bob,
  desktop,
  record,
  setupScreens,
  signedIn,
} from '../../support/desktop/desktop-screens.ts'
import { findings } from '../../support/page/accessibility.ts'
import type { Page } from '../../support/page/browser.ts'
import { world } from '../../support/server/setup-ordinary-world.ts'
import { heading } from '../../support/server/world.ts'

setupScreens()

/** Opens the restore of the newest backup. */
async function openNewestPoint(): Promise<Page> {
  const page = await signedIn('/backups')
  await openPoints(page)
  await page
    .getByRole('button', { name: /^Restore as of/ })
    .first()
    .click()
  return page
}

/** Opens the restore points of this computer, and returns their rows. */
async function openPoints(page: Page) {
  await page.getByText('Restore points', { exact: true }).click()
  const rows = page.getByRole('list', { name: 'Restore points of This computer' }).getByRole('listitem')
  await rows.first().waitFor()
  return rows
}

const local = (page: Page) =>
  page.getByRole('list', { name: 'Places' }).getByRole('listitem').filter({ hasText: 'This computer' })

describe('backups', () => {
  beforeEach(() => {
    desktop.backups = backups
  })

  test('their size is part of the storage of the server under Data', async () => {
    const page = await signedIn('/data')
    await page.getByText('Storage of this server').waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Backups' }).click()
    await heading(page, 'Backups').waitFor()
  })

  test('a backup is created, and each can be verified', async () => {
    const page = await signedIn('/backups')
    await local(page)
      .getByText(/^Backed up .* · 2.3 MB$/)
      .waitFor()
    const rows = await openPoints(page)
    await rows
      .first()
      .getByText(/· 2.3 MB$/)
      .waitFor()
    await rows
      .last()
      .getByText(/Incomplete: damaged pages are left out$/)
      .waitFor()
    await page.getByRole('button', { name: 'Back up now' }).click()
    await page.getByText('Backup created, 1.2 MB').waitFor()
    const { backups: own, backupProofs } = world.server.running.services.operation
    const space = 'The disk has too little free space for a backup. Free disk space, then try again.'
    vi.spyOn(own, 'make').mockRejectedValue(new StoreUnavailable(space))
    await page.getByRole('button', { name: 'Back up now' }).click()
    await page.getByText(space).waitFor()
    await rows
      .first()
      .getByRole('button', { name: /^Test again/ })
      .click()
    await rows
      .first()
      .getByText(/^Tested/)
      .waitFor()
    const prove = vi.spyOn(backupProofs, 'prove')
    prove.mockImplementation(async ({ name }) => record(name, 'Its checksum does not match.'))
    await rows.last().getByRole('button', { name: 'Test backup' }).click()
    await rows.last().getByText('Damaged', { exact: true }).waitFor()
    await rows.last().getByText('Not restorable: Its checksum does not match.').waitFor()
    prove.mockRejectedValue(new StoreUnavailable('The disk has too little free space to test a backup.'))
    await rows
      .last()
      .getByRole('button', { name: /^Test again/ })
      .click()
    await page.getByText('The disk has too little free space to test a backup.').waitFor()
  })

  test('when a backup was last tested is shown, and why another is not', async () => {
    const [made, old] = backups as [RestorePoint, RestorePoint]
    const provenAt = '2026-01-02T04:00:00.000Z'
    desktop.backups = [{ ...made, proof: { provenAt } }, old]
    const page = await signedIn('/backups')
    await local(page)
      .getByText(/· tested .* ago ·/)
      .waitFor()
    const rows = await openPoints(page)
    expect(await rows.first().innerText()).toMatch(/Tested.*tested .* ago.*Test again/s)
    expect(await rows.last().innerText()).not.toMatch(/Tested|restorable/)

    const problem = 'The repository of alice.test is damaged: the record org.example.thing/one was changed.'
    const { backupProofs } = world.server.running.services.operation
    vi.spyOn(backupProofs, 'prove').mockImplementation(async ({ name }) => record(name, problem))
    await rows
      .first()
      .getByRole('button', { name: /^Test again/ })
      .click()
    await rows.first().getByText(`Not restorable: ${problem}`).waitFor()
    await local(page)
      .getByText(`The newest backup is not restorable: ${problem} Last successful test: `)
      .waitFor()
    expect(await rows.first().innerText()).toContain('Damaged')
  })

  test('without a backup there are no restore points, and automatic backups can be turned on', async () => {
    desktop.backups = []
    desktop.view = { ...desktop.view, settings: { ...desktop.view.settings, automaticBackups: false } }
    const page = await signedIn('/backups')
    await local(page).getByText('No backup yet.').waitFor()
    expect(await page.getByText('Restore points', { exact: true }).count()).toBe(0)
    await page.getByRole('switch', { name: 'Automatic backups' }).click()
    await expect.poll(() => desktop.callsOf('settings.change')).toEqual([[{ automaticBackups: true }]])
  })

  test('the owner sees whether all data was verified', async () => {
    const page = await signedIn('/backups')
    await page.getByText('Not all data has been verified yet.').waitFor()
    const asBob = await signedIn('/backups', {}, [bob])
    await heading(asBob, 'Backups').waitFor()
    expect(await asBob.getByText('has been verified').count()).toBe(0)
  })

  test('a backup is previewed and restored by keyboard, and the previous data is kept', async () => {
    const page = await signedIn('/backups')
    const summary = page.locator('summary', { hasText: 'Restore points' })
    await summary.focus()
    await page.keyboard.press('Enter')
    await page
      .getByRole('button', { name: /^Restore as of/ })
      .first()
      .focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Restore the server?' })
    await dialog.getByText('alice.test, bob.test').waitFor()
    await dialog.getByText('1,204').waitFor()
    await dialog.getByText('40, of which 2 are missing').waitFor()
    await page.getByLabel('Type restore to confirm').and(page.locator(':focus')).waitFor()
    expect(await findings(page)).toEqual([])
    await page.keyboard.type('restor')
    await page.keyboard.press('Enter')
    expect(desktop.callsOf('restore.run')).toEqual([])
    await page.keyboard.type('e')
    await page.keyboard.press('Enter')
    const result = page.getByRole('dialog', { name: 'The server is restored' })
    await result.getByText('/home/alice/.local/share/desktop-pds-before').waitFor()
    expect(desktop.callsOf('restore.run')).toEqual([[{ from: 'backups' }, backups[0]?.at, undefined]])
    await page.keyboard.press('Escape')
    await result.waitFor({ state: 'detached' })
  })

  test('a backup without accounts is restored after a warning', async () => {
    desktop.handlers['restore.preview'] = () => done({ ...content, handles: [] })
    const page = await openNewestPoint()
    await page.getByText('No account is in it, so no one can sign in afterwards.').waitFor()
    expect(await findings(page)).toEqual([])
  })

  test('replaced data is listed with the date of its deletion, and deleted after a confirmation', async () => {
    const older = { name: 'replaced-1', replacedAt: '2026-01-01T12:00:00.000Z', bytes: 1_200_000 }
    const newer = { name: 'replaced-2', replacedAt: '2026-01-10T12:00:00.000Z', bytes: 2_000_000 }
    let replaced = [
      { ...newer, keptUntil: '2026-02-09T12:00:00.000Z' },
      { ...older, keptUntil: '2026-01-31T12:00:00.000Z' },
    ]
    desktop.handlers['backups.replaced'] = () => replaced
    const page = await signedIn('/backups')
    const rows = page.getByRole('list', { name: 'Replaced data' }).getByRole('listitem')
    await rows
      .last()
      .getByText(/^1.2 MB · Deleted on .*31.*2026/)
      .waitFor()
    await rows
      .last()
      .getByRole('button', { name: /^Put back the data replaced on/ })
      .click()
    const undo = page.getByRole('dialog', { name: 'Put this data back?' })
    await undo.getByText('The present data is kept').waitFor()
    expect(await findings(page)).toEqual([])
    desktop.handlers['restore.undo'] = () => failed('The folder replaced-1 no longer exists.')
    await undo.getByRole('button', { name: 'Put back', exact: true }).click()
    await undo.getByText('The folder replaced-1 no longer exists.').waitFor()
    desktop.handlers['restore.undo'] = () => done('/home/alice/data/replaced-3')
    await undo.getByRole('button', { name: 'Put back', exact: true }).click()
    await page.getByText('The data was put back').waitFor()
    expect(desktop.callsOf('restore.undo')).toEqual([['replaced-1'], ['replaced-1']])
    const open = rows.last().getByRole('button', { name: /^Delete data replaced on/ })
    await open.click()
    const dialog = page.getByRole('dialog', { name: 'Delete this data?' })
    await dialog.getByText('cannot be restored').waitFor()
    expect(await findings(page)).toEqual([])
    await page.keyboard.press('Escape')
    expect(desktop.callsOf('backups.forget')).toEqual([])
    await open.click()
    desktop.handlers['backups.forget'] = () => failed('The folder replaced-1 no longer exists.')
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
    await dialog.getByText('The folder replaced-1 no longer exists.').waitFor()
    desktop.handlers['backups.forget'] = (name) => {
      replaced = replaced.filter((folder) => folder.name !== name)
      return done(undefined)
    }
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('Replaced data deleted').waitFor()
    await expect.poll(() => rows.count()).toBe(1)
    expect(desktop.callsOf('backups.forget')).toEqual([['replaced-1'], ['replaced-1']])
  })

  test('a backup that cannot be read cannot be restored', async () => {
    desktop.handlers['restore.preview'] = () => failed('This file is not a backup.')
    const page = await openNewestPoint()
    await page.getByRole('dialog').getByText('This file is not a backup.').waitFor()
    expect(await page.getByRole('button', { name: 'Restore', exact: true }).count()).toBe(0)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(desktop.callsOf('restore.cancel')).toHaveLength(1)
  })

  test('export needs a passphrase or an explicit choice of none', async () => {
    const page = await signedIn('/backups')
    const open = page.getByRole('button', { name: 'Export…' })
    const choose = page.getByRole('button', { name: 'Choose location…' })
    await open.click()
    await page.getByRole('dialog').getByText('contains the keys of all accounts').waitFor()
    await page.getByLabel('Passphrase', { exact: true }).fill('correct horse battery staple')
    await page.getByRole('dialog').getByText('Strong').waitFor()
    await page.getByLabel('Repeat passphrase').fill('correct horse')
    await choose.click()
    await page.getByText('The passphrases do not match.').waitFor()
    expect(desktop.callsOf('backups.export')).toEqual([])
    await page.getByLabel('Repeat passphrase').fill('correct horse battery staple')
    await choose.click()
    await page.getByText('Saved to /home/alice/server.age').waitFor()

    await open.click()
    await page.getByRole('switch', { name: 'Export without encryption' }).click()
    desktop.handlers['backups.export'] = () => done(undefined)
    await choose.click()
    await expect.poll(() => desktop.callsOf('backups.export').length).toBe(2)
    expect(desktop.callsOf('backups.export')).toEqual([['correct horse battery staple'], [undefined]])
    expect(await page.getByRole('dialog').count()).toBe(1)
  })

  test('an encrypted file is opened, previewed and imported', async () => {
    const preview = desktop.handlers['restore.preview']
    const right = { from: 'file', passphrase: 'right' } as const
    desktop.handlers['restore.preview'] = (source) =>
      source.from === 'file' && source.passphrase === 'right' ? preview(source) : failed('Wrong passphrase.')
    const page = await signedIn('/backups')
    await page.getByRole('button', { name: 'Import…' }).click()
    await page.getByLabel('Passphrase of the file').fill('wrong')
    await page.keyboard.press('Enter')
    await page.getByText('Wrong passphrase.').waitFor()
    await page.getByLabel('Passphrase of the file').fill('right')
    await page.keyboard.press('Enter')
    await page.getByText('server.age').waitFor()
    await page.getByText('alice.test, bob.test').waitFor()
    await page.getByLabel('Type restore to confirm').fill('restore')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'The server is restored' }).waitFor()
    expect(desktop.callsOf('restore.run')).toEqual([[right, undefined, undefined]])
  })

  test('an unencrypted file needs no passphrase, and cancelling the file dialog does nothing', async () => {
    const page = await signedIn('/backups')
    const choose = page.getByRole('button', { name: 'Import…' })
    desktop.handlers['restore.chooseFile'] = () => done(undefined)
    await choose.click()
    await expect.poll(() => desktop.callsOf('restore.chooseFile').length).toBe(1)
    desktop.handlers['restore.chooseFile'] = () => done({ file: 'server.sqlite', encrypted: false })
    await choose.click()
    await page
      .getByRole('dialog', { name: 'Import everything from a file' })
      .getByText('server.sqlite')
      .waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(desktop.callsOf('restore.run')).toEqual([])
  })

  test('the owner exports the repository of any account, others their own', async () => {
    const page = await signedIn('/backups')
    const accounts = page.getByLabel('Account', { exact: true })
    await accounts.selectOption(bob.handle)
    await page.getByRole('button', { name: 'Export repository…' }).click()
    await page.getByText('Saved to /home/alice/alice.test.car').waitFor()
    expect(desktop.callsOf('repository.export')).toEqual([[bob.did]])
    await world.closeProfiles()
    const other = await signedIn('/backups', {}, [bob])
    expect(await other.getByLabel('Account', { exact: true }).getByRole('option').allTextContents()).toEqual([
      bob.handle,
    ])
  })

  test('the account choice covers all pages of accounts', async () => {
    const page = await signedIn('/')
    await page.route('**/*listAccounts*', (route) =>
      route.continue({
        url: route
          .request()
          .url()
          .replace(/limit=\d+/, 'limit=1'),
      }),
    )
    await page.getByRole('link', { name: 'Backups', exact: true }).click()
    await page.getByLabel('Account', { exact: true }).selectOption(bob.handle)
  })
})
