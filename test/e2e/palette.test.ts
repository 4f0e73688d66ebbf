import type { Page } from 'playwright'
import { expect, test } from 'vitest'
import { findingsInBothSchemes, focused, overflowAt } from '../support/page/accessibility.ts'
import { owner as alice, other as bob, setupWorld, world } from '../support/server/setup-world.ts'
import { heading } from '../support/server/world.ts'

setupWorld({ accounts: ['alice', 'bob', 'bobby'] })

const field = (page: Page) => page.getByRole('combobox', { name: 'Screen, setting, person or app password' })
const options = (page: Page) => page.getByRole('listbox', { name: 'Results' }).getByRole('option')
const group = (page: Page, name: string) => page.getByRole('group', { name })

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k')
  await field(page).and(page.locator(':focus')).waitFor()
}

test('palette: a setting is found by a word, opens at its section, and comes first the next time', async () => {
  const page = await world.signedIn(alice)
  await openPalette(page)
  expect(await group(page, 'Recently used').count()).toBe(0)
  await page.keyboard.type('reset pass')
  await expect.poll(() => options(page).first().textContent()).toBe('PasswordAccount')
  await page.keyboard.press('Enter')
  await heading(page, 'Account').waitFor()
  await expect.poll(() => focused(page)).toBe('Sign-in')
  expect(await page.getByRole('heading', { name: 'Sign-in', exact: true }).boundingBox()).toMatchObject({
    y: expect.toSatisfy((y: number) => y >= 0 && y < 800),
  })

  await openPalette(page)
  await group(page, 'Recently used').getByRole('option', { name: 'Password', selected: true }).waitFor()
  await page.keyboard.type('2fa')
  await page.getByRole('option', { name: 'Second step of sign-in', selected: true }).waitFor()
  await page.keyboard.press('Enter')
  await expect.poll(() => focused(page)).toBe('Second step of sign-in')
})

test('palette: in a browser, the owner finds the mail server and the services on the Server screen', async () => {
  const page = await world.signedIn(alice)
  await openPalette(page)
  await page.keyboard.type('smtp')
  await expect.poll(() => options(page).first().textContent()).toBe('EmailServer')
  await field(page).fill('plc')
  await page.getByRole('option', { name: 'Services Server' }).waitFor()
})

test('palette: a section that is folded opens', async () => {
  const page = await world.signedIn(alice)
  await openPalette(page)
  await page.keyboard.type('cors')
  await page.keyboard.press('Enter')
  await heading(page, 'Network').waitFor()
  await expect.poll(() => focused(page)).toBe('Trusted web pages')
  await page.getByText('--trusted-origins').waitFor()
})

test('palette: arrows move, Escape closes and restores the focus, and keys and button open it', async () => {
  const page = await world.signedIn(alice)
  await page.getByRole('button', { name: 'Find anything' }).click()
  await field(page).and(page.locator(':focus')).waitFor()
  await page.getByRole('option', { name: 'Home', selected: true }).waitFor()
  await page.keyboard.press('ArrowDown')
  const second = options(page).nth(1)
  await second.and(page.locator('[aria-selected=true]')).waitFor()
  expect(await field(page).getAttribute('aria-activedescendant')).toBe(await second.getAttribute('id'))
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowUp')
  await options(page).last().and(page.locator('[aria-selected=true]')).waitFor()
  await field(page).fill('zzz')
  await page.getByText('Nothing found for “zzz”').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Find anything' }).and(page.locator(':focus')).waitFor()
  await openPalette(page)
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Ctrl K').waitFor()
  await page.keyboard.press('Control+k')
  expect(await page.getByRole('dialog').count()).toBe(1)
})

test('palette: people are suggested, and a late answer does not replace a newer one', async () => {
  const page = await world.signedIn(alice)
  const late = Promise.withResolvers<void>()
  await page.route(/searchActorsTypeahead\?q=bob&/, async (route) => {
    await late.promise
    await route.continue().catch(() => undefined)
  })
  await openPalette(page)
  const asked = page.waitForRequest(/searchActorsTypeahead\?q=bob&/)
  await page.keyboard.type('bob')
  await asked
  await page.keyboard.type('by')
  await group(page, 'People').getByRole('option', { name: 'bobby.test' }).waitFor()
  late.resolve()
  const suggested = group(page, 'People').getByRole('option')
  await expect.poll(() => suggested.allTextContents()).toEqual(['Bbobby.test'])
  const bobOnly = page.getByRole('option', { name: 'bob.test', exact: true })
  await field(page).fill('bob')
  await bobOnly.waitFor()
  await field(page).fill('bobby')
  expect(await bobOnly.count()).toBe(0)
  await page.getByRole('option', { name: 'bobby.test' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'bobby.test' }).waitFor()
})

test('palette: an app password is found by its name', async () => {
  await world.server.post('com.core.server.createAppPassword', { name: 'Old tablet' }, alice)
  const page = await world.signedIn(alice)
  await openPalette(page)
  await page.keyboard.type('tab')
  await group(page, 'App passwords').getByRole('option', { name: 'Old tablet' }).click()
  await heading(page, 'Apps and sessions').waitFor()
  await expect.poll(() => focused(page)).toBe('Old tablet')
})

test('palette: shows no screens of the owner to others', async () => {
  const page = await world.signedIn(bob)
  await openPalette(page)
  await options(page).filter({ hasText: 'Invites' }).waitFor()
  expect(await options(page).filter({ hasText: 'Network' }).count()).toBe(0)
  await page.keyboard.type('cors')
  await page.getByText('Nothing found for “cors”').waitFor()
})

test('palette: opens from the bar of a narrow window, without findings of axe or overflow', async () => {
  const page = await world.signedIn(alice, '/account', { width: 360, height: 740 })
  await page.getByRole('button', { name: 'Find anything' }).click()
  await page.keyboard.type('b')
  await group(page, 'People').waitFor()
  expect(await findingsInBothSchemes(page)).toEqual([])
  expect(await overflowAt(page, [2560, 768, 320])).toEqual([0, 0, 0])
})
