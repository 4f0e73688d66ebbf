/** On an ordinary server, whose clock can jump. */
import { expect, test } from 'vitest'
import { day } from '../support/server/clock.ts'
import { setupOrdinaryWorld, world } from '../support/server/setup-ordinary-world.ts'

setupOrdinaryWorld()

test('clock: the owner sees that it is wrong, and can confirm it', async () => {
  const { server } = world
  const [owner, bob] = [await server.account('alice'), await server.account('bob')]
  const { clock } = server.running.services
  await clock.check()
  server.clock.advance(3 * 365 * day)

  const other = await world.signedIn(bob)
  const page = await world.signedIn(owner)
  await page.getByText('The clock of this server seems wrong: it shows 31 Dec 2032').waitFor()
  await page.getByRole('button', { name: 'The clock is right' }).click()
  await page.getByRole('dialog', { name: 'Is it 31 Dec 2032' }).waitFor()
  expect(clock.isPlausible()).toBe(false)
  await page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click()
  await page.getByText('Clock confirmed').waitFor()
  await expect.poll(() => page.getByText('The clock of this server seems wrong').count()).toBe(0)
  expect(clock.isPlausible()).toBe(true)
  expect(await other.getByText('The clock of this server seems wrong').count()).toBe(0)
})
