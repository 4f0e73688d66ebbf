/** Many consumers of the event stream, from many addresses behind a proxy. */
import { expect, test } from 'vitest'
import { type Listener, listening } from '../../../support/server/listener.ts'
import { adminAuth } from '../../../support/server/server.ts'
import { server, setupServer } from '../../../support/server/setup.ts'

setupServer({ config: { proxyPort: 0 }, per: 'test' })

const connect = (client: string, query = '') =>
  listening(`${server.proxyUrl}/xrpc/com.core.sync.subscribeRepos${query}`, {
    headers: { 'x-forwarded-for': client },
  })

/** Fills all 200 places. @param addressOf returns the address of each consumer */
async function fill(addressOf: (n: number) => string): Promise<Listener[]> {
  const streams: Listener[] = []
  for (let n = 0; n < 200; n++) streams.push(await connect(addressOf(n)))
  // The event reaches a consumer that has its place.
  await server.account('alice')
  await Promise.all(streams.map((stream) => stream.next()))
  return streams
}

const error = (name: string) => ({ header: { op: -1 }, payload: { error: name } })

test('the addresses of one network cannot take all places: a relay of another network gets one', async () => {
  const streams = await fill((n) => `2001:db8:1:${Math.floor(n / 20)}::1`)
  const relay = await connect('198.51.100.7', '?cursor=0')
  expect(await relay.next()).toMatchObject({ header: { op: 1 }, payload: { seq: 1 } })
  const ends = streams.map((stream, n) => stream.ended().then((end) => ({ n, ...end })))
  const { frames, code } = await Promise.race(ends)
  expect(frames.at(-1)).toMatchObject(error('ConsumerTooSlow'))
  expect(code).toBe(1008)
  expect(streams.filter(({ socket }) => socket.readyState === socket.OPEN)).toHaveLength(199)
  // The network of the others gets no further place.
  const further = await connect('2001:db8:1:100::1', '?cursor=0')
  expect(await further.next()).toMatchObject(error('RateLimitExceeded'))
  await server.account('bob')
  expect((await relay.next()).header.op).toBe(1)
  // The owner sees both on the Network screen.
  const { body } = await server.get('com.core.admin.getNetwork', {}, adminAuth)
  expect(body).toMatchObject({ refused: { lookups: 0, calls: 0, consumers: 2 } })
})

test('a consumer that is the only one of its network keeps its place', async () => {
  const streams = await fill((n) => `198.51.${n}.7`)
  const further = await connect('203.0.113.7', '?cursor=0')
  expect(await further.next()).toMatchObject(error('RateLimitExceeded'))
  expect(streams.every(({ socket }) => socket.readyState === socket.OPEN)).toBe(true)
})
