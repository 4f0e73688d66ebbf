/** More calls at once than another service gets. */
import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ServiceTimes } from '../../../../server/app/proxy/proxy.ts'
import { open } from '../../../support/server/raw-http.ts'
import { type Account, refusal, TestServer } from '../../../support/server/server.ts'
import { json, StubService } from '../../../support/services/stub-service.ts'

const timeline = 'app.bsky.feed.getTimeline'

let appView: StubService
let server: TestServer
/** Calls that the app view has received and not answered. */
let held: { readonly path: string; end(): void }[]

beforeEach(async () => {
  appView = await StubService.start()
  held = []
  appView.respond = (res: ServerResponse, req) => {
    held.push({ path: req.url ?? '', end: () => json({ feed: [] })(res, req) })
  }
})
afterEach(() => Promise.all([server.close(), appView.close()]))

async function start(serviceTimes: Partial<ServiceTimes> = {}): Promise<void> {
  server = await TestServer.start(
    { appViewDid: 'did:web:view.test', appViewUrl: appView.url, allowPrivateTargets: true },
    undefined,
    // Long, so that no call fails on a slow machine.
    { serviceTimes: { waitMs: 60_000, idleMs: 60_000, ...serviceTimes } },
  )
}

const ask = (account: Account, cursor = account.handle) => server.get(timeline, { cursor }, account)

/** Starts calls, and resolves when the app view has received `count` of all. */
async function askUntil(count: number, account: Account, calls: number) {
  const answers = Array.from({ length: calls }, () => ask(account))
  await received(count)
  return answers
}
const received = (count: number) => expect.poll(() => appView.calls.length, { timeout: 20_000 }).toBe(count)

/** Answers all calls, also later ones. */
function answerAll(): void {
  appView.respond = json({ feed: [] })
  for (const { end } of held) end()
}

test('sixty calls of an account at once are all answered', async () => {
  await start()
  const answers = await askUntil(32, await server.account('alice'), 60)
  answerAll()
  const statuses = (await Promise.all(answers)).map(({ status }) => status)
  expect(statuses).toEqual(Array(60).fill(200))
})

test('calls of an account that wait delay no other account', async () => {
  await start()
  const [alice, bob, carol] = await Promise.all(['alice', 'bob', 'carol'].map((name) => server.account(name)))
  const answers = [...(await askUntil(32, alice as Account, 50)), ...(await askUntil(64, bob as Account, 50))]
  const last = ask(carol as Account)
  // All calls have arrived when the server answers these.
  for (let trip = 0; trip < 3; trip++) await server.get('com.core.server.describeServer')
  // Each of the others had its turn once, at most.
  for (const count of [65, 66]) {
    held[0]?.end()
    held.shift()
    await received(count)
  }
  expect(appView.calls.slice(64).map(({ path }) => path)).toContain(`/xrpc/${timeline}?cursor=carol.test`)
  answerAll()
  await Promise.all([...answers, last])
})

test('a call that has waited too long is refused', async () => {
  await start({ waitMs: 50 })
  const alice = await server.account('alice')
  const answers = await askUntil(32, alice, 32)
  const answer = await ask(alice)
  expect(answer).toMatchObject(refusal(503, 'NotEnoughResources'))
  expect(answer.headers.get('retry-after')).toBe('5')
  expect(server.running.services.refusals.calls).toBe(1)
  answerAll()
  await Promise.all(answers)
  expect(await ask(alice)).toMatchObject({ status: 200 })
})

test('a call whose client disconnects leaves the queue', async () => {
  await start()
  const alice = await server.account('alice')
  const answers = await askUntil(32, alice, 32)
  const connection = await open(server.running.port)
  connection.send(
    `GET /xrpc/${timeline}?cursor=left HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${alice.accessJwt}\r\n\r\n`,
  )
  await server.get('com.core.server.describeServer')
  connection.socket.destroy()
  await connection.closed()
  // The server has noticed it before it answers this.
  await server.get('com.core.server.describeServer')
  answers.push(ask(alice))
  answerAll()
  for (const { status } of await Promise.all(answers)) expect(status).toBe(200)
  expect(appView.calls.map(({ path }) => path)).not.toContain(`/xrpc/${timeline}?cursor=left`)
})

test('services that accounts name take no places of the app view', async () => {
  await start()
  const other = await StubService.start()
  other.respond = () => {}
  const alice = await server.account('alice')
  const headers = { authorization: `Bearer ${alice.accessJwt}`, 'atproto-proxy': `${other.did}#stub` }
  const leaving = new AbortController()
  const init = { headers, signal: leaving.signal }
  const calls = Array.from({ length: 60 }, () => server.fetch(`/xrpc/${timeline}`, init))
  await expect.poll(() => other.calls.length).toBe(16)
  answerAll()
  expect(await ask(alice)).toMatchObject({ status: 200 })
  leaving.abort()
  await Promise.allSettled(calls)
  await other.close()
})
