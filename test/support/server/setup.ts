/** The server of a test file, and its accounts. */
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import type { Config } from '../../../server/platform/config/config.ts'
import type { ServerOptions } from '../../../server/server.ts'
import type { Files } from '../../../server/store/files/files.ts'
import { NetworkServer } from '../remote/network-accounts.ts'
import { type Account, TestServer } from './server.ts'
import { SocialServer } from './social.ts'

export let server: TestServer
/** Calls of the server in the name of its accounts. */
export let social: SocialServer
/** The server for accounts that use the network's own client library. Set by `setupNetwork`. */
export let network: NetworkServer
/** The first account, which owns the server. */
export let owner: Account
/** The second account. */
export let other: Account
/** New accounts of each test. Set by `setupAccounts`. */
export let alice: Account
export let bob: Account
export let carol: Account
/** Number of the test, and the end of the handles of these accounts: `alice7.test`. */
export let round = 0

export interface Setup {
  /** Settings of the server. A function is called when the server starts. */
  readonly config?: Partial<Config> | (() => Partial<Config>)
  /** Names of accounts, created in this order. */
  readonly accounts?: readonly string[]
  readonly files?: Files
  readonly options?: ServerOptions
  /** The life time of the server: all tests of the file or `describe`, or each test. */
  readonly per?: 'file' | 'test'
}

/** Registers the hooks that start and close a server. Call it at the top of a test file or a `describe`. */
export function setupServer({ config, accounts = [], files, options, per = 'file' }: Setup = {}): void {
  const [before, after] = per === 'file' ? [beforeAll, afterAll] : [beforeEach, afterEach]
  let started: TestServer
  before(async () => {
    started = await TestServer.start(typeof config === 'function' ? config() : config, files, options)
    server = started
    social = SocialServer.on(server)
    const created: Account[] = []
    for (const name of accounts) created.push(await server.account(name))
    ;[owner, other] = created as [Account, Account]
  })
  after(() => started.close())
}

/** Signs `owner` and `other` in again, when time has ended their sessions. */
export async function renewSessions(): Promise<void> {
  owner = { ...owner, ...(await server.signIn(owner)).body }
  if (other) other = { ...other, ...(await server.signIn(other)).body }
}

/** As `setupServer`, with the new accounts `alice`, `bob` and `carol` for each test. */
export function setupAccounts(setup?: Setup): void {
  setupServer(setup)
  beforeEach(async () => {
    round++
    const names = ['alice', 'bob', 'carol'].map((name) => server.account(`${name}${round}`))
    ;[alice, bob, carol] = (await Promise.all(names)) as [Account, Account, Account]
  })
}

/** As `setupServer`, for accounts that use the network's own client library. */
export function setupNetwork(): void {
  // The client continues at the service endpoint of the DID document, which must be the real address.
  setupServer({ config: { publicUrl: undefined } })
  beforeAll(() => {
    network = new NetworkServer(server)
  })
}
