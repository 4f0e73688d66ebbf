/** The check of this server by its owner: its account, its results, its end. */
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCheckAccounts } from '../../../../server/operation/conformance/check-account.ts'
import { requirements } from '../../../../server/operation/conformance/requirements.ts'
import { checkDirectory } from '../../../../server/operation/doctor/directory.ts'
import { restoredMarkName } from '../../../../server/store/files/layout.ts'
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

  test('is never that of a person, also if a fault has left a date on it', async () => {
    const setDate = (date: string | null) =>
      server.running.services.store.transact((tx) =>
        tx.run('UPDATE accounts SET delete_after = ? WHERE did = ?', [date, owner.did]),
      )
    await setDate('2031-01-01T00:00:00.000Z')
    await server.restart()
    expect(await handlesOf(server)).toContain('alice.test')
    expect((await server.get('com.core.sync.getRepoStatus', { did: owner.did })).body.active).toBe(true)
    await setDate(null)
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

  test('and came back with a backup is reported as deleted by a number that was never sent', async () => {
    const { services } = server.running
    const { did } = await createCheckAccounts({
      ...{ ...services, ...services.identity, ...services.repository, ...services.operation },
    }).create()
    const last = () =>
      server.running.services.store.get<{ seq: number }>('SELECT last_seq AS seq FROM event_state')?.seq ?? 0
    const before = last()
    await server.running.close()
    writeFileSync(join(server.config.dataDir, restoredMarkName), '')
    await server.open()
    expect((await server.get('com.core.sync.getRepoStatus', { did })).body.error).toBe('RepoNotFound')
    const { store } = server.running.services
    const [first, ...others] = store.all<{ seq: number }>('SELECT seq FROM events WHERE seq > ?', [before])
    expect(others.length).toBeGreaterThan(0)
    expect(first?.seq).toBeGreaterThan(before + 1_000_000)
  })

  test('and stays temporary, also for one who has its password', async () => {
    const { services } = server.running
    const accounts = createCheckAccounts({
      ...{ ...services, ...services.identity, ...services.repository, ...services.operation },
    })
    const { did, handle, password } = await accounts.create()
    const input = { identifier: handle, password }
    const { body: thief } = await server.post('com.core.server.createSession', input)
    for (const method of ['activateAccount', 'deactivateAccount', 'activateAccount'])
      await server.post(`com.core.server.${method}`, method === 'deactivateAccount' ? {} : undefined, thief)
    await server.post('com.core.server.deactivateAccount', { deleteAfter: '2031-01-01T00:00:00.000Z' }, thief)
    await accounts.removeAll()
    expect((await server.get('com.core.sync.getRepoStatus', { did })).body.error).toBe('RepoNotFound')
    expect(await handlesOf(server)).toEqual(['alice.test', 'bob.test'])
  })
})

test('the account of a check is found by no search, and no check of the public address looks it up', async () => {
  const here = await TestServer.start({ publicUrl: undefined })
  try {
    const { services } = here.running
    await createCheckAccounts({
      ...{ ...services, ...services.identity, ...services.repository, ...services.operation },
    }).create()
    const { store, origin } = services
    const { signal } = new AbortController()
    expect((await checkDirectory({ store, origin, signal, plcUrl: 'http://127.0.0.1:1' })).state).toBe('ok')
    const alice = await here.account('alice')
    const { actors } = (await here.get('app.example.actor.searchActors', { q: 'check-' }, alice)).body
    expect(actors).toEqual([])
  } finally {
    await here.close()
  }
})

test('the first person has the server, also while a check runs that the administrator has started', async () => {
  const unclaimed = await TestServer.start({ publicUrl: undefined })
  try {
    const { services } = unclaimed.running
    await createCheckAccounts({
      ...{ ...services, ...services.identity, ...services.repository, ...services.operation },
    }).create()
    expect((await unclaimed.get('com.core.server.describeServer')).body.unclaimed).toBe(true)
    const alice = await unclaimed.account('alice')
    expect((await unclaimed.get(get, {}, alice)).status).toBe(200)
  } finally {
    await unclaimed.close()
  }
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

test('a server that answers as this one would, but is not, gets a probe and nothing else', async () => {
  const asked: string[] = []
  const liar = createServer((req, res) => {
    asked.push(`${req.method} ${req.url?.replace(/nonce=.*/, 'nonce')}`)
    const query = Object.fromEntries(new URL(req.url ?? '', 'http://localhost').searchParams)
    res
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ ...query, bytes: 1, active: true }))
  })
  await once(liar.listen(0, 'localhost'), 'listening')
  const here = await TestServer.start({
    publicUrl: `http://localhost:${(liar.address() as AddressInfo).port}`,
  })
  try {
    await startOn(here)
    expect(await ended(here)).toMatchObject({ end: 'wrongServer', results: [] })
    expect(asked).toEqual(['POST /xrpc/com.core.server.receiveProbe?nonce'])
  } finally {
    await here.close()
    liar.close()
  }
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
