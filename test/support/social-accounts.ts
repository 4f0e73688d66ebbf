/** One server for a test file, and new accounts for each of its tests. */
import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { Config } from '../../server/platform/config/config.ts'
import type { Account } from './server.ts'
import { SocialServer } from './social.ts'

export let social: SocialServer
export let alice: Account
export let bob: Account
export let carol: Account
/** Number of the test, and the end of each account's name: `alice7.test`. */
export let round = 0

/** Registers the hooks that set the variables above. Call it at the top of a test file. */
export function setupAccounts(settings: Partial<Config> = {}): void {
  beforeAll(async () => {
    social = await SocialServer.start(settings)
  })
  afterAll(() => social.close())
  beforeEach(async () => {
    round++
    const names = ['alice', 'bob', 'carol'].map((name) => social.server.account(`${name}${round}`))
    ;[alice, bob, carol] = (await Promise.all(names)) as [Account, Account, Account]
  })
}
