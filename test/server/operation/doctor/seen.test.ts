/** Whether the network sees a public server: what its relays and its app view have of it. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Account, adminAuth, refusal, TestServer } from '../../../support/server/server.ts'
import { owner as alice, server, setupServer } from '../../../support/server/setup.ts'
import { FakeRelay, send } from '../../../support/services/fake-relay.ts'
import { json, StubService } from '../../../support/services/stub-service.ts'

let relay: FakeRelay
let appView: StubService
let bob: Account

beforeAll(async () => {
  relay = await FakeRelay.start()
  appView = await StubService.start()
})
afterAll(() => Promise.all([relay.close(), appView.close()]))
setupServer({
  accounts: ['alice'],
  config: () => ({
    publicUrl: 'https://pds.example.com',
    relays: [relay.url],
    appViewUrl: appView.url,
    appViewDid: 'did:web:appview.example.com',
  }),
})
beforeAll(async () => {
  bob = await server.account('bob')
})
beforeEach(() => {
  relay.reset()
  appView.respond = json({ error: 'InvalidRequest', message: 'Profile not found' }, 400)
})

async function look(on = server) {
  const { status, body } = await on.post('com.core.admin.checkRelays', undefined, adminAuth)
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}
const lookAtRelay = async () => (await look()).relays[0]
const lastSeq = async () =>
  (await server.get('com.core.sync.getHostStatus', { hostname: 'pds.example.com' })).body.seq as number
const revOf = async ({ did }: Account) =>
  (await server.get('com.core.sync.getLatestCommit', { did })).body.rev as string

/** The relay has everything. */
async function catchUp(): Promise<void> {
  relay.host = { seq: await lastSeq(), status: 'active' }
  for (const account of [alice, bob])
    relay.repos.set(account.did, { active: true, rev: await revOf(account) })
}
const write = () =>
  server.post(
    'com.core.repo.createRecord',
    { repo: bob.did, collection: 'org.example.thing', record: {}, validate: false },
    bob,
  )

test('a relay that has everything is up to date, with all accounts', async () => {
  await catchUp()
  expect(await lookAtRelay()).toEqual({
    ...{ url: relay.url, state: 'upToDate', eventsBehind: 0, readUntil: expect.any(String) },
    accounts: [alice, bob].map(({ did, handle }) => ({ did, handle, state: 'seen' })),
  })
  expect(relay.asked.toSorted()).toEqual(
    ['getHostStatus pds.example.com', ...[alice, bob].map(({ did }) => `getRepoStatus ${did}`)].toSorted(),
  )
})

test('a relay that is behind says by how much, since when, and which account it concerns', async () => {
  await catchUp()
  await write()
  await write()
  const { state, eventsBehind, accounts } = await lookAtRelay()
  expect({ state, eventsBehind }).toEqual({ state: 'behind', eventsBehind: 2 })
  expect(accounts.map((one: { state: string }) => one.state)).toEqual(['seen', 'behind'])
})

test.each(['throttled', 'banned', 'offline', 'idle'])(
  'a relay that counts this host as %s says so',
  async (status) => {
    await catchUp()
    relay.host = { ...relay.host, status }
    expect(await lookAtRelay()).toMatchObject({ state: status, eventsBehind: 0 })
  },
)

test('a relay that does not know this host is asked for no account', async () => {
  expect(await lookAtRelay()).toEqual({ url: relay.url, state: 'unknownHost', accounts: [] })
  expect(relay.asked).toHaveLength(1)
})

describe('accounts', () => {
  test('can be missing, or inactive there', async () => {
    await catchUp()
    relay.repos.delete(alice.did)
    relay.repos.set(bob.did, { active: false, status: 'desynchronized' })
    expect((await lookAtRelay()).accounts).toEqual([
      { did: alice.did, handle: alice.handle, state: 'missing' },
      { did: bob.did, handle: bob.handle, state: 'inactive', status: 'desynchronized' },
    ])
  })

  test('that are not active here are not asked for', async () => {
    await catchUp()
    await server.setStatus(bob.did, { suspended: true })
    expect((await lookAtRelay()).accounts.map(({ did }: Account) => did)).toEqual([alice.did])
    await server.setStatus(bob.did, { suspended: false })
  })

  test('are shown or not by the app view', async () => {
    await catchUp()
    expect((await look()).appView).toEqual({
      url: appView.url,
      accounts: [alice, bob].map(({ did, handle }) => ({ did, handle, state: 'missing' })),
    })
    appView.respond = (res, req) =>
      send(res, 200, { did: new URL(req.url ?? '', appView.url).searchParams.get('actor'), handle: 'a.test' })
    const seen = (await look()).appView.accounts
    expect(seen.map((one: { state: string }) => one.state)).toEqual(['seen', 'seen'])
    appView.respond = json({ error: 'InternalServerError' }, 500)
    const unknown = (await look()).appView.accounts
    expect(unknown.map((one: { state: string }) => one.state)).toEqual(['unknown', 'unknown'])
  })
})

describe('a relay that lies or is broken changes nothing, and is named', () => {
  test('a number of a later event', async () => {
    await catchUp()
    relay.host = { seq: (await lastSeq()) + 1 }
    expect(await lookAtRelay()).toMatchObject({ state: 'ahead' })
  })

  test.each([['5'], [-1], [1.5], [null], [Number.MAX_VALUE]])('the number %s', async (seq) => {
    relay.host = { seq }
    expect(await lookAtRelay()).toEqual({ url: relay.url, state: 'unclear', accounts: [] })
  })

  test('a later revision, or another account', async () => {
    await catchUp()
    relay.repos.set(alice.did, { active: true, rev: 'zzzzzzzzzzzzz' })
    relay.repos.set(bob.did, { active: true, did: alice.did } as never)
    const { accounts } = await lookAtRelay()
    expect(accounts.map((one: { state: string }) => one.state)).toEqual(['unknown', 'unknown'])
  })

  test.each<[string, NonNullable<FakeRelay['respond']>, string]>([
    ['another format', (res) => send(res, 200, ['hello']), 'unclear'],
    ['an HTML page', (res) => res.writeHead(200).end('<html>'), 'unclear'],
    ['a huge body', (res) => res.end(Buffer.alloc(1_000_000, ' ')), 'unreachable'],
    ['an error', (res) => send(res, 500, {}), 'unreachable'],
    ['a closed connection', (res) => res.destroy(), 'unreachable'],
    ['a redirect', (res) => res.writeHead(302, { location: 'http://127.0.0.1/' }).end(), 'unclear'],
  ])('%s', async (_, respond, state) => {
    relay.respond = respond
    expect(await lookAtRelay()).toEqual({ url: relay.url, state, accounts: [] })
  })
})

test('a private server sends nothing, and only the administrator can ask', async () => {
  const alone = await TestServer.start({ publicUrl: undefined, relays: [relay.url] })
  expect((await look(alone)).relays).toEqual([])
  const { body } = await alone.get('com.core.admin.getNetwork', {}, adminAuth)
  expect(body.outgoing).toContainEqual({ purpose: 'seen', state: 'off', targets: [] })
  await alone.close()
  expect(relay.asked).toEqual([])
  expect(await server.post('com.core.admin.checkRelays', undefined, bob)).toMatchObject(
    refusal(403, 'Forbidden'),
  )
})
