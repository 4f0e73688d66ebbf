/** Writing, reading and finding without a mouse, enlarged, in a narrow window and without motion. */
import { expect, test } from 'vitest'
import { findingsInBothSchemes, overflow, unfold } from '../support/page/accessibility.ts'
import type { Page } from '../support/page/browser.ts'
import { alice, anHourAgo, bob, carol, setupPeople, social, world } from '../support/server/setup-people.ts'
import type { Ref } from '../support/server/social.ts'

let post: Ref
let long: Ref

setupPeople({
  now: anHourAgo(),
  begin: async () => {
    await social.follow(alice, bob)
    post = await social.post(bob, { text: 'The beans are up' })
    long = await social.post(bob, { text: `${'Donaudampfschifffahrtsgesellschaft'.repeat(6)} and beans` })
    await social.reply(carol, post, post, { text: 'So are mine' })
    await social.like(carol, await social.post(alice, { text: 'A post of mine' }))
  },
})

const pathOf = ({ uri }: Ref) => `/posts/${uri.slice('at://'.length)}`
const main = (page: Page) => page.getByRole('main')
const focus = (page: Page) => page.locator(':focus')

/** Each screen, with a text that it has once it is loaded. */
const screens = (): readonly (readonly [path: string, ready: string])[] => [
  ['/', 'The beans are up'],
  [pathOf(post), 'So are mine'],
  [pathOf(long), 'and beans'],
  [`/people/${bob.did}`, 'The beans are up'],
  ['/search/posts/beans', 'The beans are up'],
  ['/search/people/car', 'carol.test'],
  ['/notifications', 'liked your post'],
  ['/backups', 'No backup yet'],
  ['/server', 'Change the settings in the app that runs this server.'],
  ['/outbox', 'The outbox is empty'],
  ['/logs', 'No log lines yet'],
  ['/settings', 'Appearance'],
]

const sizes = [
  ['a width of 320', { width: 320, height: 640 }],
  // 1280 × 800 at twice the size.
  ['a zoom of 200 %', { width: 640, height: 400 }],
] as const

test.each(sizes)('%s: nothing overflows, and axe has no findings', async (_, size) => {
  const page = await world.signedIn(alice, '/', size)
  for (const [path, ready] of screens()) {
    await page.goto(`${world.url}/#${path}`)
    await main(page).getByText(ready).first().waitFor()
    await unfold(page)
    const found = { overflow: await overflow(page), findings: await findingsInBothSchemes(page) }
    expect({ path, ...found }).toEqual({ path, overflow: 0, findings: [] })
  }
})

test.each(sizes)('%s: dialogs fit into the window', async (_, size) => {
  const page = await world.signedIn(alice, pathOf(post), size)
  const dialog = page.getByRole('dialog')
  const expectFit = async () => {
    await dialog.waitFor()
    const box = await dialog.boundingBox()
    expect(box?.x).toBeGreaterThanOrEqual(0)
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(size.width)
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(size.height)
    expect(await findingsInBothSchemes(page)).toEqual([])
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  }
  await page
    .getByRole('article')
    .first()
    .getByRole('button', { name: /^Reply/ })
    .click()
  await expectFit()
  await page.keyboard.press('Control+k')
  await expectFit()
  await page.keyboard.press('?')
  await expectFit()
})

test('without motion nothing moves', async () => {
  const page = await world.signedIn(alice)
  const moving = () =>
    page.evaluate("document.getAnimations().filter(({ playState }) => playState === 'running').length")
  for (const [path, ready] of screens()) {
    await page.goto(`${world.url}/#${path}`)
    await main(page).getByText(ready).first().waitFor()
    expect({ path, moving: await moving() }).toEqual({ path, moving: 0 })
  }
})

test('keyboard: posts are written, liked and answered', async () => {
  const page = await world.signedIn(alice)
  const press = (key: string) => page.keyboard.press(key)
  await main(page).getByText('The beans are up').waitFor()
  const text = page.getByRole('textbox', { name: 'Post text' })
  await tabTo(page, text)
  await page.keyboard.type('Without a mouse')
  await press('Control+Enter')
  await page.getByRole('article').filter({ hasText: 'Without a mouse' }).waitFor()

  // The answer, which comes first, names the post.
  const beans = page.getByRole('article').filter({ hasText: 'The beans are up' }).last()
  await tabTo(page, beans.getByRole('button', { name: /^Like/ }))
  await press('Enter')
  await beans.getByRole('button', { name: 'Like, 1 like' }).and(page.locator('[aria-pressed=true]')).waitFor()
  await tabTo(page, beans.getByRole('button', { name: /^Reply/ }), 'Shift+Tab')
  await press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').and(focus(page)).waitFor()
  await page.keyboard.type('Without one, too')
  await press('Control+Enter')
  await dialog.waitFor({ state: 'detached' })
  await beans
    .getByRole('button', { name: /^Reply/ })
    .and(focus(page))
    .waitFor()
})

test('keyboard: a person is found, a plot is read as a table, and a backup is made', async () => {
  const page = await world.signedIn(alice)
  const press = (key: string) => page.keyboard.press(key)
  await press('Control+k')
  await page.getByRole('dialog').getByRole('combobox').and(focus(page)).waitFor()
  await page.keyboard.type('carol')
  await page.getByRole('option', { name: 'carol.test', selected: true }).waitFor()
  await press('Enter')
  await page.getByRole('heading', { name: 'carol.test' }).waitFor()

  await page.goto(`${world.url}/#/notifications`)
  await main(page).getByText('liked your post').first().waitFor()
  await tabTo(page, main(page).locator('summary').filter({ hasText: 'Last 14 days' }))
  await press('Enter')
  await tabTo(page, main(page).locator('summary').filter({ hasText: 'Show as table' }))
  await press('Enter')
  await main(page).getByRole('table').waitFor()

  await page.goto(`${world.url}/#/backups`)
  await tabTo(page, page.getByRole('button', { name: 'Back up now' }))
  await press('Enter')
  await page.getByText(/^Backup created, /).waitFor()
})

/** Presses Tab until an element has the focus. */
async function tabTo(
  page: Page,
  element: ReturnType<Page['locator']>,
  key: 'Tab' | 'Shift+Tab' = 'Tab',
): Promise<void> {
  await element.waitFor()
  for (let presses = 0; presses < 80; presses++) {
    if ((await element.and(focus(page)).count()) > 0) return
    await page.keyboard.press(key)
  }
  throw new Error(`${element} has not got the focus`)
}
