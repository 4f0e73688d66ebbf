/** The measurement of servers: of this one, and of one with faults. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { requirements } from '../../../server/operation/conformance/requirements.ts'
import { measure, type RunOptions } from '../../../server/operation/conformance/runner.ts'
import { type Network, startNetwork } from '../../../server/testing/network.ts'
import { FaultProxy } from '../../support/conformance/fault-proxy.ts'
import { faults } from '../../support/conformance/faults.ts'

let proxy: FaultProxy
let network: Network

beforeAll(async () => {
  proxy = await FaultProxy.start()
  network = await startNetwork({ config: { publicUrl: proxy.url } })
  proxy.target = network.url
  proxy.directory = network.plc.url
  // The first account owns the server.
  await network.accounts.create({ handle: 'first' })
  await network.accounts.create({ handle: 'alice' })
})
afterAll(async () => {
  await network.stop()
  await proxy.close()
})

const alice = { identifier: 'alice.test', password: 'alice-password' }

const readCode = async (email: string) =>
  (await network.mail.messages()).find(({ to, code }) => to === email && code !== undefined)?.code

/** The proxy is the address of the server and of the directory. */
function measured(options: Partial<RunOptions> = {}) {
  const all = { account: alice, adminPassword: 'admin', creates: true, readCode, requirements, ...options }
  return measure({ url: proxy.url, plcUrl: proxy.url, ...all })
}

const matches = (patterns: string) => {
  const expressions = patterns.split(' ').map((pattern) => {
    const source = pattern.replaceAll('.', '\\.').replaceAll('*', '.*')
    return new RegExp(`^${source}$`)
  })
  return requirements.filter(({ id }) => expressions.some((expression) => expression.test(id)))
}

/** What a new server without rate limits cannot show. */
const untried = ['stream.cursor.outdated', 'limits.guesses']
const notHere = ['oauth.refresh.once', 'limits.headers']

describe('this server', () => {
  test('meets every must and every should', async () => {
    const { results, leftovers, hasFailed } = await measured()
    const failed = results.filter(({ outcome }) => outcome === 'failed')
    expect(failed.map(({ id, reason }) => `${id}: ${reason}`)).toEqual(
      notHere.map((id) => expect.stringContaining(id)),
    )
    expect(results.filter(({ outcome }) => outcome === 'skipped').map(({ id }) => id)).toEqual(untried)
    expect({ leftovers, hasFailed }).toEqual({ leftovers: [], hasFailed: false })
  })

  test('has the same records, app passwords and media as before', async () => {
    const { accessJwt } = (await network.accounts.get('alice')).session
    const ask = async (method: string) => {
      const response = await fetch(`${network.url}/xrpc/${method}`, {
        headers: { authorization: `Bearer ${accessJwt}` },
      })
      return response.json()
    }
    expect(await ask('com.atproto.repo.describeRepo?repo=alice.test')).toMatchObject({ collections: [] })
    expect(await ask('com.atproto.server.listAppPasswords')).toEqual({ passwords: [] })
    expect(await ask('com.atproto.server.checkAccountStatus')).toMatchObject({
      indexedRecords: 0,
      expectedBlobs: 0,
    })
  })

  test('a directory that does not answer fails no requirement of the server', async () => {
    const requirements = matches('identity.document.directory')
    const { results } = await measured({ requirements, plcUrl: 'http://127.0.0.1:1' })
    expect(results).toMatchObject([
      { outcome: 'skipped', reason: expect.stringContaining('--plc names the directory') },
    ])
  })

  test('is measured without an account: what needs one is skipped with the reason', async () => {
    const { results, hasFailed } = await measured({ account: undefined, adminPassword: undefined })
    expect(hasFailed).toBe(false)
    const skipped = results.filter(({ outcome }) => outcome === 'skipped')
    expect(skipped.length).toBeGreaterThan(80)
    expect(results.filter(({ outcome }) => outcome === 'passed').length).toBeGreaterThan(150)
    for (const { reason } of skipped) expect(reason).toMatch(/^it needs |^no |^the (?:server|repository) /)
  })
})

describe('a server with a fault fails what the fault breaks', () => {
  test.each(faults.map((fault) => ({ ...fault, fault })))('$name: $breaks', async ({ fault, breaks }) => {
    const broken = matches(breaks)
    expect(broken.length).toBeGreaterThan(0)
    proxy.fault = fault
    const { results } = await measured({ requirements: broken }).finally(() => {
      proxy.fault = { name: 'none' }
    })
    const others = results.filter(({ outcome }) => outcome !== 'failed')
    expect(others.map(({ id, outcome, reason }) => `${id} ${outcome} ${reason ?? ''}`)).toEqual([])
  })

  test('each must and should is broken by a fault', () => {
    const broken = new Set(faults.flatMap(({ breaks }) => matches(breaks)).map(({ id }) => id))
    const sound = requirements.filter(({ id, level }) => level !== 'info' && !broken.has(id))
    expect(sound.map(({ id }) => id)).toEqual([])
  })
})
