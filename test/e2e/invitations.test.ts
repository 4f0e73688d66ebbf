import type { Page } from 'playwright'
import { expect, test } from 'vitest'
import { findingsInBothSchemes, overflowAt } from '../support/page/accessibility.ts'
import { hour } from '../support/server/clock.ts'
import { owner as alice, setupWorld, world } from '../support/server/setup-world.ts'
import { heading } from '../support/server/world.ts'

setupWorld({ accounts: ['alice'], config: { inviteRequired: 'on' } })

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Invitation' })

/** Answers `getNetwork` with other ways to reach the server. */
async function reach(page: Page, changed: { publicUrl?: string; addresses: string[] }): Promise<void> {
  await page.route('**/*getNetwork*', async (route) => {
    const response = await route.fetch()
    const { publicUrl: _, ...body } = (await response.json()) as Record<string, unknown>
    await route.fulfill({ response, json: { ...body, ...changed } })
  })
}

test('invitations: a new code is shown as a link, which opens the sign-up with the code', async () => {
  const page = await world.signedIn(alice, '/invites')
  await reach(page, { addresses: [] })
  await page.getByRole('button', { name: 'New codes' }).click()
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await dialog(page).getByRole('img', { name: 'Invitation link as a QR code' }).waitFor()
  await dialog(page).getByText('Only this computer can open it yet.').waitFor()
  expect(await findingsInBothSchemes(page)).toEqual([])
  await dialog(page).getByRole('button', { name: 'Copy link' }).click()
  const link = String(await page.evaluate('navigator.clipboard.readText()'))
  expect(link).toMatch(new RegExp(`^${world.url}/#/create/[a-z0-9-]+$`))
  expect(await overflowAt(page, [1280, 320])).toEqual([0, 0])

  const guest = await world.visitor()
  await guest.goto(link)
  await heading(guest, 'Create an account').waitFor()
  expect(await guest.getByLabel('Invite code').inputValue()).toBe(link.split('/').at(-1))
  await guest.getByLabel('Handle').fill('guest')
  await guest.getByLabel('Password', { exact: true }).fill('a long enough password')
  await guest.getByRole('button', { name: 'Create account' }).click()
  await heading(guest, 'Home').waitFor()
  expect(guest.url()).not.toContain('/create')
  await page.reload()
  await page.getByText('Used up').waitFor()
})

test('invitations: the browser does not leave a form with text unasked', async () => {
  const page = await world.signedIn(alice)
  await page.goto(`${world.url}/#/invites`)
  await page.getByRole('button', { name: 'New codes' }).click()
  await page.getByLabel('For whom').fill('Carol, from the choir')
  await page.goBack()
  await page.getByRole('button', { name: 'Keep editing' }).click()
  expect(await page.getByLabel('For whom').inputValue()).toBe('Carol, from the choir')
})

test('invitations: the link has the address that others reach, and leads to Network if there is none', async () => {
  await world.server.post('com.core.server.createInviteCode', { useCount: 2 }, alice)
  const page = await world.signedIn(alice, '/invites')
  const linkOf = async (changed: { publicUrl?: string; addresses: string[] }) => {
    await page.unrouteAll()
    await reach(page, changed)
    await page.reload()
    await page.getByRole('button', { name: 'Invite with' }).click()
    return dialog(page).locator('code').first().textContent()
  }
  const local = 'http://192.168.1.5:2583'
  expect(await linkOf({ publicUrl: 'https://pds.example.com/', addresses: [local] })).toMatch(
    /^https:\/\/pds\.example\.com\/#\/create\//,
  )
  expect(await linkOf({ addresses: [local] })).toMatch(/^http:\/\/192\.168\.1\.5:2583\/#\/create\//)
  await dialog(page).getByText('Only devices on the same network').waitFor()
  await linkOf({ addresses: [] })
  await dialog(page).getByRole('link', { name: 'Network' }).click()
  await heading(page, 'Network').waitFor()
})

test('invitations: a code says whom it is for and when it expires, and is not offered after that', async () => {
  const now = world.server.clock.now().getTime()
  const page = await world.signedIn(alice, '/invites', { now })
  await page.getByRole('button', { name: 'New codes' }).click()
  await page.getByLabel('For whom').fill('Carol')
  await page.getByLabel('Expires').selectOption('In a day')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await dialog(page).getByRole('img').waitFor()
  await page.keyboard.press('Escape')
  const row = page.getByRole('list', { name: 'Invite codes' }).getByRole('listitem')
  await row.getByText('For Carol').waitFor()
  await row.getByText('expires tomorrow').waitFor()

  await page.clock.setFixedTime(now + 25 * hour)
  await page.reload()
  await row.getByText('Expired').waitFor()
  expect(await row.getByRole('button').count()).toBe(0)
})
