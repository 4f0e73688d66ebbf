/** The network and the browser of a file that tests pages: each test begins in the same state. */
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import type { Config } from '../../../server/platform/config/config.ts'
import type { NetworkSnapshot } from '../../../server/testing/network.ts'
import { launchBrowser } from '../page/browser.ts'
import type { Account } from './client.ts'
import { NetworkClient } from './network-client.ts'
import { SocialServer } from './social.ts'
import { World } from './world.ts'

export let world: World<NetworkClient>
/** Calls of the server in the name of its accounts. */
export let social: SocialServer<NetworkClient>
/** The first account, which owns the server. */
export let owner: Account
/** The second account. */
export let other: Account
/** The third account. */
export let third: Account

export interface Setup {
  /** Settings of the server. A function is called when the server starts. */
  readonly config?: Partial<Config> | (() => Partial<Config>)
  /** Time at which the clock of the server begins. */
  readonly now?: string
  /** Names of accounts, created in this order. */
  readonly accounts?: readonly string[]
  /** Creates what else each test begins with. */
  readonly begin?: () => Promise<unknown>
}

/**
 * Registers the hooks that open and close a network. Before each test it has the accounts, what `begin` has created, and nothing else;
 * after each test its pages are closed, and none may have logged errors.
 */
export function setupWorld({ config = {}, now = '2030-01-01', accounts = [], begin }: Setup = {}): void {
  let start: NetworkSnapshot
  beforeAll(async () => {
    const settings = typeof config === 'function' ? config() : config
    const starting = NetworkClient.start({ now, config: settings })
    const [server, browser] = await Promise.all([starting, launchBrowser()])
    world = World.of(server, browser)
    social = SocialServer.on(server)
    const created: Account[] = []
    for (const name of accounts) created.push(await server.account(name))
    ;[owner, other, third] = created as [Account, Account, Account]
    await begin?.()
    start = await server.network.snapshot()
  })
  beforeEach(() => world.server.network.restore(start))
  afterEach(async () => expect(await world.closeProfiles()).toEqual([]))
  afterAll(() => world.close())
}
