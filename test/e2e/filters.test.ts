/** The filter above long lists, and what is done with many rows at once. */
import type { Page } from 'playwright'
import { expect, test } from 'vitest'
import { findingsInBothSchemes, overflowAt } from '../support/page/accessibility.ts'
import { hour } from '../support/server/clock.ts'
import { owner as alice, setupWorld, world } from '../support/server/setup-world.ts'
import { open } from '../support/server/world.ts'

setupWorld({ accounts: ['alice'] })

const day = 24 * hour

const rows = (page: Page, list: string) => page.getByRole('list', { name: list }).getByRole('listitem')

async function createAppPasswords(...names: string[]): Promise<void> {
  for (const name of names) await world.server.post('com.core.server.createAppPassword', { name }, alice)
}

test('filters: a list of more than 20 rows has one, which counts what it shows', async () => {
  await createAppPasswords(...Array.from({ length: 20 }, (_, index) => `Phone ${index}`))
  const page = await world.signedIn(alice, '/apps')
  await page.getByText('You have 20 of 100.').waitFor()
  const filter = page.getByRole('searchbox', { name: 'Filter App passwords' })
  expect(await filter.count()).toBe(0)
  await createAppPasswords('Laptop')
  await page.reload()
  await filter.fill('lap')
  await page.getByText('1 of 21').waitFor()
  expect(await rows(page, 'App passwords').count()).toBe(1)
  expect(await findingsInBothSchemes(page)).toEqual([])
  expect(await overflowAt(page, [1280, 320])).toEqual([0, 0])
  await filter.fill('zzz')
  await page.getByText('Nothing in this list matches the filter.').waitFor()
  await filter.fill('')
  await expect.poll(() => rows(page, 'App passwords').count()).toBe(21)
})

test('app passwords: at the limit the screen says so before a form is filled', async () => {
  await createAppPasswords(...Array.from({ length: 100 }, (_, index) => `Phone ${index}`))
  const page = await world.signedIn(alice, '/apps')
  await page.getByText('You have 100 of 100. Revoke one that you no longer need.').waitFor()
  expect(await page.getByRole('button', { name: 'New app password' }).isDisabled()).toBe(true)
})

test('filters: in a list of several pages it loads the others', async () => {
  const page = await world.signedIn(alice)
  const subscription = (name: string) => ({
    did: `did:web:${name}.example.com`,
    handle: `${name}.example.com`,
    createdAt: '2030-01-01T00:00:00.000Z',
    activitySubscription: { post: true, reply: false },
    viewer: {},
  })
  const first = Array.from({ length: 25 }, (_, index) => subscription(`first${index}`))
  await page.route('**/*listActivitySubscriptions*', (route) => {
    const isSecond = new URL(route.request().url()).searchParams.has('cursor')
    return route.fulfill({
      json: isSecond ? { subscriptions: [subscription('last')] } : { subscriptions: first, cursor: 'next' },
    })
  })
  await open(page, 'Inbox', 'Subscriptions')
  await expect.poll(() => rows(page, 'Subscriptions').count()).toBe(25)
  await page.getByRole('searchbox', { name: 'Filter Subscriptions' }).fill('last')
  await rows(page, 'Subscriptions').filter({ hasText: 'last.example.com' }).waitFor()
  await page.getByText('1 of 26').waitFor()
})

test('app passwords: those that were not used for 90 days are named, then revoked together', async () => {
  await createAppPasswords('Old phone', 'Old laptop')
  await world.server.clock.advance(91 * day)
  const { body: session } = await world.server.signIn(alice)
  await world.server.post('com.core.server.createAppPassword', { name: 'New phone' }, session)
  const page = await world.signedIn(alice, '/apps', { now: world.server.clock.now().getTime() })
  await rows(page, 'App passwords').first().waitFor()
  await page.getByRole('button', { name: 'Revoke unused…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Revoke 2 app passwords?' })
  const named = dialog.getByRole('list', { name: 'App passwords to revoke' }).getByRole('listitem')
  expect((await named.allTextContents()).toSorted()).toEqual(['Old laptop', 'Old phone'])
  expect(await findingsInBothSchemes(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('2 app passwords revoked').waitFor()
  await expect.poll(() => rows(page, 'App passwords').count()).toBe(1)
  expect(await page.getByRole('button', { name: 'Revoke unused…' }).count()).toBe(0)
  const { body } = await world.server.get('com.core.server.listAppPasswords', {}, session)
  expect(body.passwords.map(({ name }: { name: string }) => name)).toEqual(['New phone'])
})

test('allowed apps: those that were not used for 90 days are named, then ended together', async () => {
  const page = await world.signedIn(alice, '/account', { now: world.server.clock.now().getTime() })
  const at = '2029-09-01T00:00:00.000Z'
  const ended: string[] = []
  await page.route('**/*listSessions*', async (route) => {
    const response = await route.fetch()
    const { sessions } = (await response.json()) as { sessions: Record<string, unknown>[] }
    const old = ['one', 'two']
      .filter((id) => !ended.includes(id))
      .map((id) => ({ id, openedWith: 'app', app: `https://${id}.example.com/client.json`, current: false }))
    const json = { sessions: [...sessions, ...old.map((one) => ({ ...one, createdAt: at, lastUsedAt: at }))] }
    await route.fulfill({ response, json })
  })
  await page.route('**/*revokeSession*', async (route) => {
    ended.push((route.request().postDataJSON() as { id: string }).id)
    await route.fulfill({ status: 200 })
  })
  await page.getByRole('link', { name: 'Apps and sessions' }).click()
  await page.getByRole('button', { name: 'End unused…' }).click()
  const dialog = page.getByRole('dialog', { name: 'End 2 apps?' })
  await dialog.getByText('one.example.com').waitFor()
  await dialog.getByRole('button', { name: 'End' }).click()
  await page.getByText('2 apps ended').waitFor()
  expect(ended).toEqual(['one', 'two'])
  await expect.poll(() => rows(page, 'Allowed apps').count()).toBe(0)
})
