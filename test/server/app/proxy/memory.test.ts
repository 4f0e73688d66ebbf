/** The memory for answers of other services, which clients may read slowly or not at all. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ServiceTimes } from '../../../../server/app/proxy/proxy.ts'
import { type Account, refusal, TestServer } from '../../../support/server/server.ts'
import { json, StubService } from '../../../support/services/stub-service.ts'

const timeline = 'app.bsky.feed.getTimeline'
const refused = refusal(503, 'NotEnoughResources')

let appView: StubService
let other: StubService
let server: TestServer
const sockets: Socket[] = []

beforeEach(async () => {
  appView = await StubService.start()
  other = await StubService.start()
  other.respond = (res) => {
    res.writeHead(200, { 'content-type': 'application/json' }).end(`"${'x'.repeat(7_999_998)}"`)
  }
})
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await Promise.all([server.close(), appView.close(), other.close()])
})

async function start(serviceTimes: Partial<ServiceTimes> = {}): Promise<void> {
  server = await TestServer.start(
    { appViewDid: 'did:web:view.test', appViewUrl: appView.url, allowPrivateTargets: true },
    undefined,
    { serviceTimes },
  )
}

/** Asks the service that the account names for 8 MB, and reads them. */
const askOther = ({ accessJwt }: Account) =>
  server.fetch(`/xrpc/${timeline}`, {
    headers: { authorization: `Bearer ${accessJwt}`, 'atproto-proxy': `${other.did}#stub` },
  })

const request = ({ accessJwt }: Account, more = `atproto-proxy: ${other.did}#stub\r\n`) =>
  `GET /xrpc/${timeline} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${accessJwt}\r\n${more}\r\n`

async function connected(): Promise<Socket> {
  const socket = connect(server.running.port, '127.0.0.1').on('error', () => {})
  sockets.push(socket)
  await once(socket, 'connect')
  return socket
}

/** Asks for 8 MB, and reads only the start of the response. @returns its status */
async function leaveUnread(account: Account): Promise<number> {
  const socket = await connected()
  socket.write(request(account))
  const [head] = await once(socket, 'data')
  socket.pause()
  return Number(String(head).split(' ')[1])
}

test('eight unread answers of a service that an account names delay no other account', async () => {
  await start()
  const [mallory, bob] = [await server.account('mallory'), await server.account('bob')]
  const statuses: number[] = []
  for (let call = 0; call < 8; call++) statuses.push(await leaveUnread(mallory))
  expect(await server.get(timeline, {}, bob)).toMatchObject({ status: 200 })
  expect(await askOther(bob)).toMatchObject({ status: 200 })
  expect(statuses).toEqual([200, 200, 503, 503, 503, 503, 503, 503])
  const answer = await askOther(mallory)
  expect(answer).toMatchObject(refused)
  expect(answer.headers.get('retry-after')).toBe('5')
})

test('services that accounts name leave half of the memory to the app view', async () => {
  await start()
  for (const name of ['mallory', 'mallory2', 'mallory3', 'mallory4']) {
    const account = await server.account(name)
    await leaveUnread(account)
    await leaveUnread(account)
  }
  const bob = await server.account('bob')
  expect(await server.get(timeline, {}, bob)).toMatchObject({ status: 200 })
  expect(await askOther(bob)).toMatchObject(refused)
  appView.respond = json('x'.repeat(9_000_000))
  expect(await server.get(timeline, {}, bob)).toMatchObject({ status: 200 })
})

test('a client that does not read is disconnected, and its memory is free again', async () => {
  await start({ readMs: 20 })
  const alice = await server.account('alice')
  expect([await leaveUnread(alice), await leaveUnread(alice)]).toEqual([200, 200])
  await expect.poll(async () => (await askOther(alice)).status).toBe(200)
})

test('answers that wait behind another one are released when the client disconnects', async () => {
  await start()
  const alice = await server.account('alice')
  appView.respond = () => {}
  const socket = await connected()
  socket.write(request(alice, '') + request(alice).repeat(2))
  await expect.poll(async () => (await askOther(alice)).status).toBe(503)
  socket.destroy()
  await expect.poll(async () => (await askOther(alice)).status).toBe(200)
})
