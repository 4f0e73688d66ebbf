import { expect, test } from 'vitest'
import { findingsInBothSchemes } from '../support/page/accessibility.ts'
import { other, owner, setupWorld, world } from '../support/server/setup-world.ts'

setupWorld({ accounts: ['alice', 'bob'] })

test('data check: the owner sees when all data was verified, and damage on every screen', async () => {
  const { pageCheck } = world.server.running.services.operation
  let state = pageCheck.state()
  pageCheck.state = () => state
  const page = await world.signedIn(owner, '/network')
  const main = page.getByRole('main')
  await main.getByText('Not all data has been verified yet.').waitFor()

  state = { verifiedAt: new Date(Date.now() - 3 * 24 * 60 * 60_000), damagedPages: 0 }
  await page.reload()
  await main.getByText('All data verified 3 days ago').waitFor()

  state = { ...state, damagedPages: 2 }
  await page.reload()
  const damage = 'Damaged data found: 2 pages of the database.'
  await main.getByText(damage).waitFor()
  await main.getByText('Last check without damage: 3 days ago').waitFor()
  expect(await page.getByText(damage).count()).toBe(1)
  expect(await findingsInBothSchemes(page)).toEqual([])
  await page.getByRole('link', { name: 'Home' }).click()
  await page.getByRole('alert').getByText(damage).waitFor()
  await page.getByRole('link', { name: 'Details' }).click()
  await main.getByText(damage).waitFor()

  const bob = await world.signedIn(other, '/')
  expect(await bob.getByText('Damaged data found').count()).toBe(0)
})
