/** A public server stays within what relays accept: an account that writes very much waits, the others do not. */
import { describe, expect, test } from 'vitest'
import { type Account, adminAuth, TestServer } from '../../../support/server/server.ts'
import { StubService } from '../../../support/services/stub-service.ts'

const hour = 60 * 60_000

async function start(config: object = {}) {
  const relay = await StubService.start()
  const server = await TestServer.start({
    ...{ publicUrl: 'https://pds.example.com', relays: [relay.url], eventBudget: { hour: 200, day: 400 } },
    ...config,
  })
  return {
    server,
    alice: await server.account('alice'),
    bob: await server.account('bob'),
    async [Symbol.asyncDispose]() {
      await server.close()
      await relay.close()
    },
  }
}

const write = (server: TestServer, { did, accessJwt }: Account) =>
  server.post(
    'com.core.repo.createRecord',
    { repo: did, collection: 'org.example.thing', record: {}, validate: false },
    { accessJwt } as Account,
  )

/** Writes until a write is refused. Returns how many were accepted, and the refusal. */
async function writeMany(server: TestServer, account: Account, most: number) {
  for (let accepted = 0; accepted < most; accepted++) {
    const answer = await write(server, account)
    if (answer.status !== 200) return { accepted, answer }
  }
  return { accepted: most, answer: undefined }
}

const usage = async (server: TestServer) => {
  const { body } = await server.get('com.core.admin.getNetwork', undefined, adminAuth)
  return body.events as { lastHour: number; lastDay: number; isHeld: boolean } | undefined
}

describe('an account that writes very much', () => {
  test('waits as soon as most of the hour is used, and learns for how long; others go on', async () => {
    await using world = await start()
    const { server, alice, bob } = world
    const before = (await usage(server))?.lastHour ?? 0
    const { accepted, answer } = await writeMany(server, alice, 300)
    // Four fifths of 200.
    expect(before + accepted).toBe(160)
    expect(answer).toMatchObject({ status: 429, body: { error: 'RateLimitExceeded' } })
    const wait = Number(answer?.headers.get('retry-after'))
    expect(wait).toBeGreaterThan(0)
    expect(wait).toBeLessThanOrEqual(3600)
    expect(await usage(server)).toMatchObject({ lastHour: 160, lastDay: 160, isHeld: true })
    expect((await writeMany(server, bob, 20)).accepted).toBe(20)

    // Nothing of what was refused is there.
    const { body } = await server.get('com.core.repo.listRecords', {
      ...{ repo: alice.did, collection: 'org.example.thing', limit: '100' },
    })
    expect(body.records).toHaveLength(100)
    server.clock.advance(hour)
    expect((await write(server, alice)).status).toBe(200)
    expect(await usage(server)).toMatchObject({ lastHour: 1, lastDay: 181, isHeld: false })
  })

  test('can write many records at once: that is one event', async () => {
    await using world = await start()
    const { server, alice } = world
    const creation = {
      ...{ $type: 'com.core.repo.applyWrites#create', collection: 'org.example.thing', value: {} },
    }
    for (let i = 0; i < 5; i++) {
      const { status } = await server.post(
        'com.core.repo.applyWrites',
        { repo: alice.did, validate: false, writes: Array.from({ length: 200 }, () => creation) },
        alice,
      )
      expect(status).toBe(200)
    }
    expect((await usage(server))?.lastHour).toBeLessThan(20)
  })

  test('waits for the day, too, also after a restart', async () => {
    await using world = await start({ eventBudget: { hour: 10_000, day: 150 } })
    const { server, alice } = world
    await writeMany(server, alice, 110)
    server.clock.advance(1.5 * hour)
    const { accepted, answer } = await writeMany(server, alice, 300)
    expect(answer?.status).toBe(429)
    expect(Number(answer?.headers.get('retry-after'))).toBeGreaterThan(20 * 3600)
    // An hour's commits of a person are never refused.
    expect(accepted).toBe(100)
    const used = await usage(server)
    expect(used).toMatchObject({ lastDay: expect.any(Number), isHeld: true })
    await server.restart()
    expect(await usage(server)).toEqual(used)
  })
})

test.each([
  ['a private server', { publicUrl: undefined }],
  ['without relays', { relays: [] }],
  ['switched off', { eventBudget: { hour: Number.POSITIVE_INFINITY, day: Number.POSITIVE_INFINITY } }],
])('there is no budget: %s', async (_, config) => {
  await using world = await start(config)
  const { server, alice } = world
  expect((await writeMany(server, alice, 210)).accepted).toBe(210)
  expect(await usage(server)).toBeUndefined()
})
