/** The check of this server by its owner: its account, its results, its end. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCheckAccounts } from '../../../../server/operation/conformance/check-account.ts'
import { requirements } from '../../../../server/operation/conformance/requirements.ts'
import { type Network, startNetwork } from '../../../../server/testing/network.ts'
import { systemTime } from '../../../../server/util/timers.ts'
import type { ServerClient } from '../../../support/server/client.ts'
import { adminAuth, TestServer } from '../../../support/server/server.ts'
import { other as bob, owner, server, setupServer } from '../../../support/server/setup.ts'

const get = 'com.core.admin.getConformance'
const set = 'com.core.admin.setConformance'

const stateOf = async (one: Pick<TestServer, 'get'>) => (await one.get(get, {}, adminAuth)).body
const startOn = (one: Pick<TestServer, 'post'>) => one.post(set, { running: true }, adminAuth)

async function ended(one: Pick<TestServer, 'get'>) {
  await expect.poll(async () => (await stateOf(one)).running).toBe(false)
  return stateOf(one)
}

const handlesOf = async (one: Pick<TestServer, 'get'>): Promise<string[]> =>
  (await one.get('com.core.admin.listAccounts', {}, adminAuth)).body.accounts.map(
    ({ handle }: { handle: string }) => handle,
  )

describe('a server with its own address', () => {
  setupServer({ config: { publicUrl: undefined }, accounts: ['alice', 'bob'], options: { now: systemTime } })

  test('has no check at first, and lets only its owner start one', async () => {
    expect((await server.get(get, {}, owner)).body).toEqual({ running: false, total: 0, results: [] })
    expect((await server.get(get, {}, bob)).body.error).toBe('Forbidden')
    expect((await server.post(set, { running: true }, bob)).body.error).toBe('Forbidden')
    expect((await stateOf(server)).startedAt).toBeUndefined()
  })

  test('is measured in a thread: each requirement has a result, and no must fails', async () => {
    await server.post(set, { running: true }, owner)
    const { results, total, end, url } = await ended(server)
    expect(total).toBe(requirements.length)
    expect(results.map(({ id }: { id: string }) => id)).toEqual(requirements.map(({ id }) => id))
    const failed = results.filter(
      ({ outcome, level }: Record<string, string>) => outcome === 'failed' && level === 'must',
    )
    expect(failed).toEqual([])
    expect(results.filter(({ outcome }: { outcome: string }) => outcome === 'passed').length).toBeGreaterThan(
      320,
    )
    expect({ end, url }).toEqual({ end: undefined, url: server.running.services.origin })
  })

  test('has the accounts of people alone afterwards, as they were', async () => {
    expect(await handlesOf(server)).toEqual(['alice.test', 'bob.test'])
    const { repos } = (await server.get('com.core.sync.listRepos')).body
    expect(repos.map(({ did }: { did: string }) => did).sort()).toEqual([owner.did, bob.did].sort())
    expect((await server.get('com.core.repo.describeRepo', { repo: owner.did })).body.collections).toEqual([])
  })

  test('runs one check at a time; the owner stops it, and its account is deleted then', async () => {
    await startOn(server)
    const { startedAt } = await stateOf(server)
    await expect.poll(async () => (await handlesOf(server)).length).toBe(3)
    await startOn(server)
    expect((await stateOf(server)).startedAt).toBe(startedAt)
    await server.post(set, { running: false }, adminAuth)
    const { end, running, results } = await stateOf(server)
    expect({ end, running }).toEqual({ end: 'stopped', running: false })
    expect(results.length).toBeLessThan(requirements.length)
    expect(await handlesOf(server)).toEqual(['alice.test', 'bob.test'])
  })
})

describe('a check that ended with its process', () => {
  setupServer({ config: { publicUrl: undefined }, accounts: ['alice', 'bob'] })

  test('leaves nothing after the next start, and an account whose holder set a date stays', async () => {
    const deleteAfter = '2031-01-01T00:00:00.000Z'
    await server.post('com.core.server.deactivateAccount', { deleteAfter }, bob)
    const { services } = server.running
    const { did } = await createCheckAccounts({
      ...{ ...services, ...services.identity, ...services.repository, ...services.operation },
    }).create()
    expect(await handlesOf(server)).toHaveLength(3)
    await server.restart()
    expect(await handlesOf(server)).toEqual(['alice.test', 'bob.test'])
    expect((await server.get('com.core.sync.getRepoStatus', { did })).body.error).toBe('RepoNotFound')
    expect((await stateOf(server)).startedAt).toBeUndefined()
  })

  test('and whose server never starts again in time is deleted after an hour', async () => {
    const { services } = server.running
    const accounts = createCheckAccounts({
      ...{ ...services, ...services.identity, ...services.repository, ...services.operation },
    })
    const { did } = await accounts.create()
    const { store } = services
    const row = store.get<{ at: string }>('SELECT delete_after AS at FROM accounts WHERE did = ?', [did])
    expect((Date.parse(row?.at ?? '') - server.clock.now().getTime()) / 60_000).toBeCloseTo(60, 0)
    await accounts.removeAll()
  })
})

describe('an address that does not lead to the server', () => {
  test.each(['of another server', 'of no server'])(
    '%s ends the check before anything is sent to it',
    async (whose) => {
      const elsewhere = await TestServer.start({ publicUrl: undefined })
      await elsewhere.account('erin')
      const publicUrl =
        whose === 'of another server' ? elsewhere.url.replace('127.0.0.1', 'localhost') : 'http://localhost:1'
      const here = await TestServer.start({ publicUrl })
      await here.account('alice')
      try {
        await startOn(here)
        const { end, reason, results } = await ended(here)
        expect({ end, results }).toEqual({ end: 'wrongServer', results: [] })
        expect(reason).toMatch(whose === 'of another server' ? /is another server/ : /got no answer/)
        expect(await handlesOf(here)).toEqual(['alice.test'])
      } finally {
        await Promise.all([here.close(), elsewhere.close()])
      }
    },
  )
})

describe('in a network', () => {
  let network: Network
  beforeAll(async () => {
    network = await startNetwork()
    await network.accounts.create({ handle: 'alice' })
  })
  afterAll(() => network.stop())

  const client: Pick<ServerClient, 'get' | 'post'> = {
    get: (nsid) => call(nsid),
    post: (nsid, input) => call(nsid, input),
  }
  async function call(nsid: string, input?: unknown) {
    const response = await fetch(`${network.url}/xrpc/${nsid}`, {
      headers: { authorization: `Basic ${btoa('admin:admin')}`, 'content-type': 'application/json' },
      ...(input !== undefined && { method: 'POST', body: JSON.stringify(input) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : undefined }
  }

  test('the directory gets no identity of a check', async () => {
    await startOn(client as TestServer)
    let did = ''
    await expect
      .poll(async () => {
        const { accounts } = (await client.get('com.core.admin.listAccounts')).body
        did = accounts.find(({ handle }: { handle: string }) => handle.startsWith('check-'))?.did ?? did
        return did
      })
      .toMatch(/^did:plc:/)
    const { end } = await ended(client as TestServer)
    expect(end).toBeUndefined()
    expect((await fetch(`${network.plc.url}/${did}`)).status).toBe(404)
  })
})
