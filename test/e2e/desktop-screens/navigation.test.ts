/** Navigation of the desktop. With a scripted bridge. */
import { expect, test } from 'vitest'
import { alice, desktop, setupScreens, signedIn } from '../../support/desktop/desktop-screens.ts'
import { world } from '../../support/server/setup-ordinary-world.ts'
import { heading, open } from '../../support/server/world.ts'

setupScreens()

test('browser: no desktop screens', async () => {
  const page = await world.signedIn(alice, '/about')
  await heading(page, 'Page not found').waitFor()
  expect(await page.getByRole('link', { name: 'About' }).count()).toBe(0)
})

test('navigation: nine entries, and tabs for the other screens', async () => {
  const page = await signedIn()
  const links = (navigation: string) => page.getByRole('navigation', { name: navigation }).getByRole('link')
  await links('Main').getByText('People and invites').waitFor()
  expect(await links('Main').allTextContents()).toEqual([
    'Home',
    'Search',
    'Inbox',
    'Account',
    'People and invites',
    'Network',
    'Backups',
    'Server',
    'Settings',
  ])
  for (const [entry, tabs] of [
    ['Inbox', ['Inbox', 'Subscriptions']],
    ['Account', ['Account', 'Apps and sessions', 'Data']],
    ['People and invites', ['People', 'Invites', 'Reports']],
    ['Server', ['Server', 'Outbox']],
    ['Settings', ['General', 'Notifications', 'Requests', 'Protocol check', 'Logs', 'About']],
  ] as const) {
    await open(page, entry)
    await links(entry).last().waitFor()
    expect(await links(entry).allTextContents()).toEqual(tabs)
    const last = tabs.at(-1) ?? ''
    await open(page, entry, last)
    await heading(page, last).waitFor()
  }
  await open(page, 'Account')
  await page.getByRole('link', { name: 'Service tokens for developers' }).click()
  await heading(page, 'Service tokens').waitFor()
})

test('navigation: in a low window it scrolls to the current screen', async () => {
  const page = await signedIn('/about', { height: 500 })
  const navigation = page.getByRole('navigation', { name: 'Main' })
  await navigation.getByRole('link', { name: 'People and invites' }).waitFor()
  const frame = await navigation.boundingBox()
  const link = await navigation.getByRole('link', { name: 'Settings' }).boundingBox()
  const [end, linkEnd] = [frame, link].map((box) => (box?.y ?? 0) + (box?.height ?? 0))
  expect(linkEnd).toBeLessThanOrEqual(Math.ceil(end ?? 0))
  expect(link?.y).toBeGreaterThan(frame?.y ?? 0)
})

test('desktop events: navigation opens a screen', async () => {
  const page = await signedIn('/')
  await heading(page, 'Home').waitFor()
  await desktop.emit('navigate', '/notifications')
  await heading(page, 'Inbox').waitFor()
})
