import { afterEach, beforeEach, expect, test } from 'vitest'
import { hour, minute } from '../../../support/server/clock.ts'
import { type Account, TestServer } from '../../../support/server/server.ts'
import { json, StubService } from '../../../support/services/stub-service.ts'

let relay: StubService
let server: TestServer
let alice: Account

beforeEach(async () => {
  relay = await StubService.start()
})

afterEach(async () => {
  await server.close()
  await relay.close()
})

async function start(publicUrl: string | undefined): Promise<void> {
  server = await TestServer.start({ relays: [relay.url], publicUrl })
  alice = await server.account('alice')
  await settled()
}

const settled = async () => {
  await new Promise(setImmediate)
  await server.running.services.background.idle()
}

async function write(): Promise<void> {
  const input = { repo: alice.did, collection: 'org.example.thing', record: {} }
  expect((await server.post('com.core.repo.createRecord', input, alice)).status).toBe(200)
  await settled()
}

/** Does the work of the periodic job. */
const pass = () => server.running.services.repository.relays.askDue()

test('a relay is asked at the start, then after writes, at most every 20 minutes', async () => {
  await start('https://pds.test')
  expect(relay.calls).toHaveLength(1)
  expect(relay.lastCall).toMatchObject({ method: 'POST', path: '/xrpc/com.atproto.sync.requestCrawl' })
  expect(JSON.parse(String(relay.lastCall.body))).toEqual({ hostname: 'pds.test' })
  await write()
  expect(relay.calls).toHaveLength(1)
  server.clock.advance(20 * minute)
  await write()
  await write()
  expect(relay.calls).toHaveLength(2)
  await pass()
  server.clock.advance(20 * minute)
  await pass()
  expect(relay.calls).toHaveLength(3)
  server.clock.advance(hour)
  await pass()
  expect(relay.calls).toHaveLength(3)
  expect(server.running.services.repository.relays.state()).toEqual([
    { url: relay.url, lastContact: expect.any(Date), lastError: undefined },
  ])
})

test('a clock that was years ahead for a minute does not keep a relay waiting', async () => {
  await start('https://pds.test')
  server.clock.advance(3 * 365 * 24 * hour)
  await server.account('bob')
  await settled()
  expect(relay.calls).toHaveLength(2)
  server.clock.advance(-3 * 365 * 24 * hour)
  await write()
  expect(relay.calls).toHaveLength(3)
  await write()
  expect(relay.calls).toHaveLength(3)
})

test('after a failure the delay grows, without a write too', async () => {
  relay.respond = json({ error: 'Busy' }, 503)
  await start('https://pds.test')
  const [state] = server.running.services.repository.relays.state()
  expect(state).toEqual({
    url: relay.url,
    lastContact: undefined,
    lastError: expect.stringContaining('answered 503'),
  })
  const calls: number[] = []
  for (const minutes of [10, 10, 20, 20, 40, 40]) {
    server.clock.advance(minutes * minute)
    await pass()
    calls.push(relay.calls.length)
  }
  expect(calls).toEqual([1, 2, 2, 3, 3, 4])
  relay.respond = json({})
  await server.running.services.repository.relays.askNow()
  expect(server.running.services.repository.relays.state()[0]).toMatchObject({
    lastError: undefined,
    lastContact: expect.any(Date),
  })
})

test('a server without a public address asks no relay', async () => {
  await start(undefined)
  await write()
  await pass()
  await server.running.services.repository.relays.askNow()
  expect(relay.calls).toEqual([])
})
