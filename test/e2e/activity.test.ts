/** The plot of the last days in the inbox. */
import { expect, test } from 'vitest'
import { findings } from '../support/page/accessibility.ts'
import type { Page } from '../support/page/browser.ts'
import { day, hour } from '../support/server/clock.ts'
import { repeatNotification } from '../support/server/many-notifications.ts'
import type { Account } from '../support/server/server.ts'
import {
  owner as alice,
  other as bob,
  third as carla,
  setupOrdinaryWorld,
  social,
  world,
} from '../support/server/setup-ordinary-world.ts'

setupOrdinaryWorld({ accounts: ['alice', 'bob', 'carla'] })

const plot = (page: Page) => page.getByRole('heading', { name: 'Last 14 days' })

/** Opens the table. @returns the texts of its rows */
async function rowsOf(page: Page): Promise<string[][]> {
  await plot(page).click()
  await page.getByText('Show as table').click()
  const rows = await page.getByRole('row').all()
  return Promise.all(rows.map((row) => row.locator('th, td').allTextContents()))
}

async function signInAgain(account: Account): Promise<Account> {
  return { ...account, ...(await world.server.signIn(account)).body }
}

const inbox = (account: Account, view: { timeZone?: string } = {}) =>
  world.signedIn(account, '/notifications', { now: world.server.clock.now().getTime(), ...view })

test('notifications of the last 14 days are counted by kind, as a chart and as a table', async () => {
  const post = await social.post(alice)
  await social.like(bob, post)
  await world.server.elapse(20 * day)
  const [a, b, c] = await Promise.all([signInAgain(alice), signInAgain(bob), signInAgain(carla)])
  await social.like(c, post)
  await social.like(b, await social.post(a))
  await social.follow(b, a)
  const page = await inbox(alice)
  await plot(page).click()
  await page.getByRole('img', { name: '3 notifications' }).waitFor()
  await plot(page).click()
  const [head, newest, ...others] = await rowsOf(page)
  expect(head).toEqual(['Day', 'Likes', 'Follows', 'Total'])
  expect(newest?.slice(1)).toEqual(['2', '1', '3'])
  expect(others).toHaveLength(13)
  expect(new Set(others.map((cells) => cells.slice(1).join()))).toEqual(new Set(['0,0,0']))
  expect(await findings(page)).toEqual([])
})

test('without notifications there is a sentence instead of a chart', async () => {
  const dan = await world.server.account('dan')
  const page = await inbox(dan)
  await plot(page).click()
  await page.getByText('No notifications in the last 14 days.').waitFor()
})

test('10,020 notifications are counted in one request, on the days of the person', async () => {
  const eve = await world.server.account('eve')
  await social.like(await signInAgain(bob), await social.post(eve))
  const now = world.server.clock.now().getTime()
  const midnight = now - (now % day)
  await repeatNotification(world.server, eve, { from: midnight - 2 * day, count: 10_000 })
  // Half past eleven in the evening of the day before in London is the next day in Berlin.
  await repeatNotification(world.server, eve, { from: midnight - hour / 2, count: 19 })
  const counted: string[] = []
  const page = await inbox(eve)
  page.on('request', (request) => request.url().includes('getActivityCounts') && counted.push(request.url()))
  await page.reload()
  const totalsOf = async (shown: Page) => (await rowsOf(shown)).slice(1, 4).map((cells) => cells.at(-1))
  expect(await totalsOf(page)).toEqual(['1', '19', '10,000'])
  await page.getByRole('img', { name: '10,020 notifications' }).waitFor()
  expect(counted).toHaveLength(1)
  expect(await totalsOf(await inbox(eve, { timeZone: 'Europe/Berlin' }))).toEqual(['20', '0', '10,000'])
})
