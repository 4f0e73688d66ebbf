/**
 * The export `desktop-pds/playwright`: fixtures of Playwright Test. Each worker has a network of its own, which is reset before each
 * test that uses `pds`; the requests that its servers received are steps of the test, and an attachment if it fails.
 */
import '../util/check-node.cts'
import { AsyncResource } from 'node:async_hooks'
import { createRequire } from 'node:module'
import type * as Runner from 'playwright/test'
import type { NetworkRequest } from './door/requests.ts'
import type { Network, NetworkOptions } from './network.ts'
import type { WorldSource } from './world-loader.ts'

export type { Network, NetworkOptions } from './network.ts'

export interface PdsFixtures {
  /** The network of the worker, in the state after its start. */
  pds: Network
}

export interface PdsOptions {
  /**
   * Whether tests show the requests that the servers received. `retain-on-failure`, the default: each is a step, and a test that fails has
   * all of them in the attachment `requests.json`. `on`: other tests have the attachment, too.
   */
  serverRequests: 'on' | 'retain-on-failure' | 'off'
}

/** The options concern a worker: set them in the configuration or at the top of a file. */
export interface NetworkFixtures {
  /** The network of the worker, in the state that the test before has left. */
  network: Network
  /** 1 by default, in all workers: a test has the same identifiers in each of them. */
  seed: number
  /** Number of servers, 1 by default. */
  servers: number
  /** Accounts and records to begin with: a world, the path of its file, or the name of one that is built in. None by default. */
  world: WorldSource | undefined
  /** Further options of `startNetwork`. A `port` is that of the first worker, and the next ones follow. Free ports by default. */
  networkOptions: Omit<NetworkOptions, 'seed' | 'servers' | 'world'>
}

type Test = Runner.TestType<
  Runner.PlaywrightTestArgs & Runner.PlaywrightTestOptions & PdsFixtures & PdsOptions,
  Runner.PlaywrightWorkerArgs & Runner.PlaywrightWorkerOptions & NetworkFixtures
>

const runner = loadRunner()

export const expect: typeof Runner.expect = runner.expect

export const test: Test = runner.test.extend<PdsFixtures & PdsOptions, NetworkFixtures>({
  seed: [1, { option: true, scope: 'worker' }],
  servers: [1, { option: true, scope: 'worker' }],
  world: [undefined, { option: true, scope: 'worker' }],
  networkOptions: [{}, { option: true, scope: 'worker' }],
  serverRequests: ['retain-on-failure', { option: true }],
  network: [
    async ({ seed, servers, world, networkOptions: { port = 0, ...options } }, use, { parallelIndex }) => {
      // Only workers need the server: the other processes of Playwright just list the tests.
      const { startNetwork } = await import('./network.ts')
      const own = port === 0 ? 0 : port + parallelIndex * (servers + 1)
      const network = await startNetwork({ ...options, seed, servers, world, port: own })
      await use(network)
      await network.stop()
    },
    { scope: 'worker' },
  ],
  async pds({ network, serverRequests }, use, testInfo) {
    await network.reset()
    if (serverRequests === 'off') {
      await use(network)
      return
    }
    const end = network.onRequest((request) => showRequest(network, request, testInfo))
    await use(network)
    end()
    if (serverRequests === 'retain-on-failure' && testInfo.status === testInfo.expectedStatus) return
    const body = JSON.stringify(network.requests(), undefined, 2)
    await testInfo.attach('requests.json', { body, contentType: 'application/json' })
  },
})

/** Steps that begin in it are steps of the test itself. In the context of a request they would belong to the start of the network. */
const outermost = new AsyncResource('desktop-pds')

/** Adds a request to the steps of the test, which reports and the trace viewer show beside its actions. */
function showRequest(
  { accounts, servers }: Network,
  { verb, nsid, path, status, server, account, isFault }: NetworkRequest,
  { file, line, column }: Runner.TestInfo,
): void {
  if (verb === 'OPTIONS') return
  const number = servers.length > 1 ? ` ${server + 1}` : ''
  const caller = accounts.list().find(({ did }) => did === account)?.handle ?? account
  const more = [...(caller === undefined ? [] : [caller]), ...(isFault ? ['fault'] : [])]
  const title = [`PDS${number}: ${status} ${verb} ${nsid ?? path}`, ...more].join(', ')
  const step = () => test.step(title, () => {}, { location: { file, line, column } })
  outermost.runInAsyncScope(step).catch(() => {})
}

/** Loads the package that the user has. Two copies of it in a process are an error, so it is that of the command `playwright test`. */
function loadRunner(): typeof Runner {
  // Not `import`, which would need `await`: tests that are CommonJS load this module by `require`.
  const require = createRequire(import.meta.url)
  for (const name of ['@playwright/test', 'playwright/test']) {
    try {
      return require(name)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error
    }
  }
  throw new Error('desktop-pds/playwright needs Playwright Test: npm install --save-dev @playwright/test')
}
