/** The overview on the Home screen. */
import { expect, test } from 'vitest'
import { findings, unfold } from '../support/page/accessibility.ts'
import { day, hour } from '../support/server/clock.ts'
import type { Account } from '../support/server/server.ts'
import {
  owner as alice,
  other as bob,
  third as carla,
  setupWorld,
  social,
  world,
} from '../support/server/setup-world.ts'

setupWorld({
  // The page counts the days of its own clock.
  now: new Date(Date.now() - 20 * day).toISOString(),
  accounts: ['alice', 'bob', 'carla'],
  begin,
})

async function begin() {
  const post = await social.post(alice)
  await social.like(bob, post)
  await world.server.clock.advance(20 * day - hour)
  const [a, b, c] = await Promise.all([signInAgain(alice), signInAgain(bob), signInAgain(carla)])
  await social.like(c, post)
  await social.like(b, await social.post(a))
  await social.follow(b, a)
}

async function signInAgain(account: Account): Promise<Account> {
  return { ...account, ...(await world.server.signIn(account)).body }
}

test('activity: the last 14 days are counted by kind, as a chart and as a table', async () => {
  const page = await world.signedIn(alice)
  await page.getByRole('img', { name: '3 notifications' }).waitFor()
  await page.getByText('Show as table').click()
  const table = page.getByRole('table')
  const headers = ['Day', 'Likes', 'Follows', 'Total']
  expect(await table.getByRole('columnheader').allTextContents()).toEqual(headers)
  expect(await table.getByRole('row').count()).toBe(15)
  const cells = await table.getByRole('cell').allTextContents()
  const sums = [0, 1, 2].map((at) =>
    cells.filter((_, index) => index % 3 === at).reduce((a, b) => a + Number(b), 0),
  )
  expect(sums).toEqual([2, 1, 3])
  expect(await findings(page)).toEqual([])
})

test('activity: without notifications there is a sentence instead of a chart', async () => {
  const dan = await world.server.account('dan')
  const page = await world.signedIn(dan)
  await page.getByText('No notifications in the last 14 days.').waitFor()
})

test('layout: in a narrow window the copy button covers no command, and all bars have one length', async () => {
  const page = await world.signedIn(alice, '/', { width: 360 })
  await unfold(page)
  const command = await page.getByText(/^curl /).boundingBox()
  const copy = await page.getByRole('button', { name: 'Copy command' }).boundingBox()
  if (!command || !copy) throw new Error('not shown')
  expect(copy.x).toBeGreaterThanOrEqual(command.x + command.width)
  await page.route('**/*getUsage*', async (route) => {
    const response = await route.fetch()
    const body = { ...(await response.json()), blobs: { count: 1, bytes: 123_000_000 } }
    return route.fulfill({ response, json: body })
  })
  await page.reload()
  await page.getByText('123 MB', { exact: true }).waitFor()
  const boxes = await Promise.all((await page.getByRole('meter').all()).map((bar) => bar.boundingBox()))
  expect(boxes).toHaveLength(2)
  expect(new Set(boxes.map((box) => box?.width)).size).toBe(1)
})
