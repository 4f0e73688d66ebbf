/**
 * Two desktops on one network, a screen each: people connect them by comparing six digits. They are ordinary servers: those of a network
 * for tests find each other without discovery.
 */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { LocalNetwork, soon } from '../support/network/local-network.ts'
import { findings, overflow } from '../support/page/accessibility.ts'
import type { Page, View } from '../support/page/browser.ts'
import type { Account } from '../support/server/server.ts'
import { SocialServer } from '../support/server/social.ts'
import { World } from '../support/server/world.ts'

interface Desk {
  readonly world: World
  readonly owner: Account
}

let alice: Desk
let bob: Desk

beforeAll(async () => {
  const network = await LocalNetwork.open()
  const open = async (name: string): Promise<Desk> => {
    const discoveryNetwork = { interface: '127.0.0.1', port: network.port }
    const world = await World.open({ hosts: ['0.0.0.0'], publicUrl: undefined }, { discoveryNetwork })
    return { world, owner: await world.server.account(name) }
  }
  alice = await open('alice')
  bob = await open('bob')
})
afterEach(async () => {
  for (const { world } of [alice, bob]) expect(await world.closeProfiles()).toEqual([])
})
afterAll(async () => {
  for (const { world } of [alice, bob]) await world.close()
})

/** With the time of its server, by which records are too old to notify. */
async function screenOf({ world, owner }: Desk, view: View = {}): Promise<Page> {
  const page = await world.signedIn(owner, '/network', view)
  await page.clock.setSystemTime(world.server.clock.now())
  return page
}
const digits = (page: Page) => page.getByRole('status', { name: 'Code' }).innerText()

async function connect(from: Page): Promise<void> {
  const computers = from.getByRole('list', { name: 'Friends on this network' }).getByRole('listitem')
  await computers
    .filter({ hasText: 'bob.test' })
    .getByRole('button', { name: /^Connect/ })
    .click()
  await from.getByRole('dialog').waitFor()
}

test('one declines: nothing is changed on either screen', async () => {
  const [asking, asked] = await Promise.all([screenOf(alice), screenOf(bob)])
  await connect(asking)
  await asked.getByRole('button', { name: 'They differ' }).click()
  await asking.getByText('was declined on one of the screens').waitFor()
  await asking.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
  for (const page of [asking, asked]) await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(
    (await alice.world.server.get('com.core.repo.describeRepo', { repo: alice.owner.did })).body.collections,
  ).toEqual([])
})

test('both see the same digits, and follow each other after one confirmation each', async () => {
  const [asking, asked] = await Promise.all([screenOf(alice), screenOf(bob, { width: 320 })])
  await connect(asking)
  await asked.getByText('wants to connect').waitFor()
  expect(await digits(asking)).toMatch(/^\d{3} \d{3}$/)
  expect(await digits(asked)).toBe(await digits(asking))
  expect(await findings(asking)).toEqual([])
  expect(await findings(asked)).toEqual([])
  expect(await overflow(asked)).toBe(0)

  await asking.getByRole('button', { name: 'They are the same' }).click()
  await asking.getByText('Waiting for the other screen').waitFor()
  await asked.getByRole('button', { name: 'They are the same' }).click()
  await asked.getByText('You follow alice.test').waitFor()
  await asking.getByText('You follow bob.test').waitFor()
  await asking.getByRole('listitem').filter({ hasText: 'bob.test' }).getByText('Connected').waitFor()

  // What one does reaches the other.
  for (const { world, owner } of [alice, bob]) {
    const list = async () =>
      (await SocialServer.on(world.server).list(owner)).notifications.map(
        (one: { reason: string }) => one.reason,
      )
    await expect.poll(list, soon).toContain('follow')
  }
})
