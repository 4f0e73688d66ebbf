/** Home in the app window: backups of this computer, the recovery sheet, and what other accounts see. */
import { expect, test } from 'vitest'
import { backups, bob, desktop, setupScreens, signedIn } from '../../support/desktop/desktop-screens.ts'
import { findings } from '../../support/page/accessibility.ts'
import type { Page } from '../../support/page/browser.ts'
import { heading } from '../../support/server/world.ts'

setupScreens()

const tile = (page: Page, name: string) =>
  page.getByRole('list', { name: 'State of the server' }).getByRole('listitem').filter({ hasText: name })

/** Makes the server of a page respond with a place. */
function serveCopy(page: Page, place: object, more: object = {}): Promise<unknown> {
  const places = [{ url: 'file:///disk', behindSeconds: 0, missingMedia: 0, paused: false, ...place }]
  const headers = { 'access-control-allow-origin': '*' }
  return page.route('**/com.core.admin.getCopies*', (route) =>
    route.fulfill({ json: { places, ...more }, headers }),
  )
}

test('without a copy elsewhere the backup of this computer is named, and Backups is one step away', async () => {
  const page = await signedIn('/')
  const copy = tile(page, 'Copy elsewhere')
  await copy.getByText('No backup here either.').waitFor()
  desktop.backups = backups
  await page.reload()
  await copy.getByText('Backup here:').waitFor()
  expect(await copy.locator('time').getAttribute('datetime')).toBe(backups[0]?.at)
  expect(await findings(page)).toEqual([])
  await copy.getByRole('link', { name: 'Make a copy' }).click()
  await heading(page, 'Backups').waitFor()
})

test('a copy that fails is seen, with the reason; one that is made, and one that another computer continues', async () => {
  const lastCopiedAt = new Date().toISOString()
  const page = await signedIn('/about')
  const copy = tile(page, 'Copy elsewhere')
  for (const [place, tone, shown] of [
    [{}, null, 'The first copy is being made'],
    [{ lastCopiedAt }, 'ok', 'Up to date'],
    [{ lastCopiedAt, problem: { kind: 'unreachable', message: 'Connect it.' } }, 'warn', 'Connect it.'],
    [{ lastCopiedAt, proofProblem: 'Damaged.' }, 'danger', 'Copies do not work'],
    [{ problem: { kind: 'elsewhere', message: 'Stop.' } }, 'danger', 'Another computer continues'],
  ] as const) {
    await page.unroute('**/com.core.admin.getCopies*')
    await serveCopy(page, place)
    await page.evaluate("location.hash = '#/'")
    await page.reload()
    await copy.getByText(shown).waitFor()
    expect(await copy.getAttribute('data-tone')).toBe(tone)
  }
})

test('a recovery sheet that was kept ticks the step, as long as there are copies', async () => {
  const page = await signedIn('/')
  await page.getByText('To do: A recovery key').waitFor()
  await serveCopy(page, { lastCopiedAt: new Date().toISOString() }, { sheetKept: true })
  await page.reload()
  await page.getByText('Done: A recovery key').waitFor()
  await page.getByText('Done: A copy outside this computer').waitFor()
})

test('other accounts see the address, and may open Network', async () => {
  const page = await signedIn('/', {}, [bob])
  await tile(page, 'The address of this server.').getByRole('link').click()
  await heading(page, 'Network').waitFor()
})
