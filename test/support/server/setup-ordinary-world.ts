/** An ordinary server on the disk and a browser, for tests of pages that need what a network for tests lacks. */
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import type { Config } from '../../../server/platform/config/config.ts'
import type { ServerOptions } from '../../../server/server.ts'
import type { Account } from './server.ts'
import { SocialServer } from './social.ts'
import { World } from './world.ts'

export let world: World
/** Calls of the server in the name of its accounts. */
export let social: SocialServer
/** The first account, which owns the server. */
export let owner: Account
/** The second account. */
export let other: Account
/** The third account. */
export let third: Account

interface Setup {
  /** Settings of the server. A function is called when the server starts. */
  readonly config?: Partial<Config> | (() => Partial<Config>)
  readonly options?: ServerOptions
  /** Names of accounts, created in this order. */
  readonly accounts?: readonly string[]
}

/** Registers the hooks that open and close a world. After each test its pages are closed; none may have logged errors. */
export function setupOrdinaryWorld({ config, options, accounts = [] }: Setup = {}): void {
  beforeAll(async () => {
    world = await World.open(typeof config === 'function' ? config() : config, options)
    social = SocialServer.on(world.server)
    const created: Account[] = []
    for (const name of accounts) created.push(await world.server.account(name))
    ;[owner, other, third] = created as [Account, Account, Account]
  })
  afterEach(async () => expect(await world.closeProfiles()).toEqual([]))
  afterAll(() => world.close())
}
