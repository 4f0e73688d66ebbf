/** The server and the browser of a test file. */
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import type { Config } from '../../server/platform/config/config.ts'
import type { Account } from './server.ts'
import { SocialServer } from './social.ts'
import { World } from './world.ts'

export let world: World
/** Calls of the server in the name of its accounts. */
export let social: SocialServer
/** The accounts of the setup, in its order. */
export let accounts: readonly Account[]

interface Setup {
  /** Settings of the server. A function is called when the server starts. */
  readonly config?: Partial<Config> | (() => Partial<Config>)
  /** Names of accounts. The first owns the server. */
  readonly accounts?: readonly string[]
}

/** Registers the hooks that open and close a world. After each test its pages are closed; none may have logged errors. */
export function setupWorld({ config, accounts: names = [] }: Setup = {}): void {
  beforeAll(async () => {
    world = await World.open(typeof config === 'function' ? config() : config)
    social = SocialServer.on(world.server)
    const created: Account[] = []
    for (const name of names) created.push(await world.server.account(name))
    accounts = created
  })
  afterEach(async () => expect(await world.closeProfiles()).toEqual([]))
  afterAll(() => world.close())
}
