/** One connection to an upstream while parts of this server are slow or fail. */
import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createUpstreamLimits } from '../../../../server/federation/remote/limits/upstream.ts'
import { createRevisions } from '../../../../server/federation/upstreams/revisions.ts'
import { UpstreamStream } from '../../../../server/federation/upstreams/stream.ts'
import type { Database, Writer } from '../../../../server/store/database.ts'
import { StoreFull, StoreUnavailable } from '../../../../server/store/files/store-errors.ts'
import { createHourCounter } from '../../../../server/util/hour-counter.ts'
import { createLogger } from '../../../../server/util/log.ts'
import { identityEvent, infoFrame, type RemoteEvent } from '../../../support/remote/remote-frames.ts'
import { RemoteServer } from '../../../support/remote/remote-server.ts'

type Deps = ConstructorParameters<typeof UpstreamStream>[0]

let upstream: RemoteServer
beforeAll(async () => {
  upstream = await RemoteServer.start()
})
afterAll(() => upstream.close())

const bob = 'did:web:bob.test'
const carol = 'did:web:carol.test'
const event = (did: string) => identityEvent(did, 'name.test')

const catchUp = { onGap: async () => {}, onIncomplete: async () => {}, onUnknown: async () => {} }

/** Connects to the upstream, whose events all concern this server. */
async function connect(changes: Partial<Deps> = {}) {
  const lines: string[] = []
  const positions: unknown[] = []
  const { now } = upstream.clock
  const tx = { run: (_: string, [cursor]: unknown[]) => positions.push(cursor) } as unknown as Writer
  const events = createHourCounter(now)
  const stream = new UpstreamStream(
    {
      id: 1,
      origin: upstream.url,
      store: { transact: async (write: (tx: Writer) => void) => write(tx) } as Database,
      filter: { event: () => ({ keep: true }) },
      examine: async ({ did }) => ({ kind: 'status', did, status: undefined }),
      storeFinding: async () => {},
      queue: { has: () => false, add: async () => {}, retry() {}, resumeDue() {}, close: async () => {} },
      limits: createUpstreamLimits(now),
      revisions: createRevisions(),
      events,
      log: createLogger('error', { write: (line) => void lines.push(line) }),
      now,
      catchUp,
      ...changes,
    },
    { cursor: undefined, since: undefined },
  )
  onTestFinished(async () => {
    stream.close()
    await stream.ended
  })
  await stream.opened
  return { stream, events, positions, logged: () => lines.map((line) => JSON.parse(line)) }
}

async function bug(): Promise<never> {
  throw new TypeError('not a function')
}

test('an event whose processing fails is logged, and the next one is stored', async () => {
  const stored = Promise.withResolvers<string>()
  const { stream, logged } = await connect({
    examine: async ({ did }) => (did === bob ? bug() : { kind: 'status', did, status: undefined }),
    storeFinding: async (finding) => {
      if (finding.kind === 'status') stored.resolve(finding.did)
    },
  })
  upstream.emit(event(bob))
  const { seq } = upstream
  upstream.emit(event(carol))
  expect(await stored.promise).toBe(carol)
  expect(logged()).toMatchObject([
    { msg: 'processing of an event failed', did: bob, seq, upstream: upstream.url },
  ])
  expect(stream.isOpen).toBe(true)
})

test.each([
  ['is full', new StoreFull('The store is full'), 'The store is full', []],
  ['is unavailable', new StoreUnavailable('The disk is full'), 'The disk is full', []],
  [
    'fails',
    new TypeError('not a function'),
    'This server could not store an event',
    [{ msg: 'storing of an event failed' }],
  ],
])('an event that arrives while the store %s is read again', async (_, error, message, logs) => {
  const { stream, positions, logged } = await connect({ storeFinding: () => Promise.reject(error) })
  const before = upstream.seq
  upstream.emit(event(bob))
  expect(await stream.ended).toEqual({ message, isViolation: false })
  expect(positions).toEqual([before])
  expect(logged()).toMatchObject(logs)
})

test('a stream is not read while 20 MB of it wait for the store', async () => {
  const free = Promise.withResolvers<void>()
  const slow = await connect({ storeFinding: () => free.promise })
  const fast = await connect()
  const { type, payload } = event(bob)
  for (let count = 0; count < 7; count++)
    upstream.emit({ type, payload: { ...payload, padding: new Uint8Array(4_000_000) } })
  const received = () => [slow, fast].map(({ events }) => events.sum())
  await expect.poll(received, { interval: 10 }).toEqual([5, 7])
  upstream.forget()
  free.resolve()
  await expect.poll(received, { interval: 10 }).toEqual([7, 7])
})

test('a gap and missing commits that cannot be stored are logged, and the stream is read on', async () => {
  let reports = 0
  const { stream, logged } = await connect({
    catchUp: {
      ...catchUp,
      onGap: bug,
      onIncomplete() {
        reports++
        return bug()
      },
    },
  })
  const commit = (rev: string, since: string | null): RemoteEvent => ({
    type: '#commit',
    payload: { repo: bob, rev, since, blocks: new Uint8Array() },
  })
  const messages = () => logged().map(({ msg }) => msg)
  const gap = 'a gap in the events could not be stored'
  const missing = 'missing commits could not be stored'
  upstream.emit(commit('3kaaaaaaaaaa2', null))
  upstream.emit(commit('3kcaaaaaaaaa2', '3kbaaaaaaaaa2'))
  await expect.poll(messages, { interval: 10 }).toEqual([gap, missing])
  upstream.emit(commit('3keaaaaaaaaa2', '3kdaaaaaaaaa2'))
  await expect.poll(messages, { interval: 10 }).toEqual([gap, missing, missing])
  expect(reports).toBe(2)
  expect(stream.isOpen).toBe(true)
})

test.each([
  ['fails', new TypeError('not a function'), [{ msg: 'storing the position of a stream failed' }]],
  ['is unavailable', new StoreUnavailable('The disk is full'), []],
])('a connection ends although the store %s', async (_, error, logs) => {
  const stored = Promise.withResolvers<void>()
  const { stream, logged } = await connect({
    store: { transact: () => Promise.reject(error) } as unknown as Database,
    storeFinding: async () => stored.resolve(),
  })
  upstream.emit(event(bob))
  await stored.promise
  stream.close()
  expect(await stream.ended).toEqual({ message: 'closed', isViolation: false })
  expect(logged()).toMatchObject(logs)
})

test('a gap that an upstream reports again and again is stored once, until that has failed', async () => {
  const results = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let gaps = 0
  const { events } = await connect({
    catchUp: { ...catchUp, onGap: () => results[gaps++]?.promise ?? Promise.resolve() },
  })
  const outdated = async (count: number) => {
    const before = events.sum()
    for (let n = 0; n < count; n++) upstream.send(infoFrame('OutdatedCursor'))
    await expect.poll(() => events.sum(), { interval: 10 }).toBe(before + count)
  }
  await outdated(20)
  expect(gaps).toBe(1)
  results[0]?.reject(new StoreUnavailable('The disk is full'))
  await outdated(20)
  expect(gaps).toBe(2)
  results[1]?.resolve()
  await outdated(20)
  expect(gaps).toBe(2)
})

test('an upstream that sends messages that are no events is cut off', async () => {
  let gaps = 0
  const { stream, events } = await connect({
    catchUp: {
      ...catchUp,
      async onGap() {
        gaps++
      },
    },
  })
  for (let n = 0; n < 5000; n++) upstream.send(infoFrame('OutdatedCursor'))
  expect(await stream.ended).toEqual({
    message: 'It sent more than 100 messages that are no events',
    isViolation: true,
  })
  expect(gaps).toBe(1)
  expect(events.sum()).toBeLessThanOrEqual(102)
})

test('a stream is not read on before the time that its upstream has used up is over', async () => {
  let waits = [60_000, 0]
  const { stream, events } = await connect({
    limits: { ...createUpstreamLimits(upstream.clock.now), read: () => waits.shift() ?? 0 },
  })
  upstream.emit(event(bob))
  upstream.emit(event(bob))
  await expect.poll(() => events.sum(), { interval: 10 }).toBe(1)
  for (let turn = 0; turn < 20; turn++) await setImmediate()
  expect(events.sum()).toBe(1)
  expect(stream.isOpen).toBe(true)
  waits = [1]
  upstream.disconnect()
  stream.close()
  await stream.ended
  const other = await connect({
    limits: { ...createUpstreamLimits(upstream.clock.now), read: () => waits.shift() ?? 0 },
  })
  upstream.emit(event(bob))
  upstream.emit(event(bob))
  await expect.poll(() => other.events.sum(), { interval: 10 }).toBe(2)
})

/** An event of the `n`th author. */
const eventOf = (n: number) => event(`did:web:${n % 100}.test`)

/** An upstream that may send any number of events at once. */
const unlimited = () => ({ ...createUpstreamLimits(upstream.clock.now), received() {} })

test('a stream that becomes full during a transaction is paused, and goes on after it', async () => {
  const started = Promise.withResolvers<void>()
  const free = Promise.withResolvers<void>()
  const { events } = await connect({
    limits: unlimited(),
    async storeFinding() {
      started.resolve()
      await free.promise
    },
  })
  for (let n = 0; n < 3960; n++) upstream.emit(eventOf(n))
  await started.promise
  await expect.poll(() => events.sum(), { interval: 10 }).toBe(3960)
  for (let n = 0; n < 45; n++) upstream.emit(eventOf(n))
  await expect.poll(() => events.sum(), { interval: 10 }).toBe(4000)
  for (let turn = 0; turn < 20; turn++) await setImmediate()
  expect(events.sum()).toBe(4000)
  free.resolve()
  await expect.poll(() => events.sum(), { interval: 10 }).toBe(4005)
})

test('few events are verified before their predecessors have used up budgets', async () => {
  const free = Promise.withResolvers<void>()
  let examined = 0
  const { events } = await connect({
    limits: unlimited(),
    async examine() {
      examined++
      return { kind: 'changes', changes: [] }
    },
    storeFinding: () => free.promise,
  })
  for (let n = 0; n < 1000; n++) upstream.emit(eventOf(n))
  await expect.poll(() => events.sum(), { interval: 10 }).toBe(1000)
  for (let turn = 0; turn < 20; turn++) await setImmediate()
  expect(examined).toBeLessThan(150)
  free.resolve()
  await expect.poll(() => examined, { interval: 10 }).toBe(1000)
})

test('an author concerns this server until the events of the author are stored', async () => {
  const started = Promise.withResolvers<void>()
  const free = Promise.withResolvers<void>()
  let isKnown = true
  let stored = 0
  const { events } = await connect({
    filter: { event: () => (isKnown ? { keep: true } : { keep: false, reason: 'unknown' }) },
    async storeFinding() {
      started.resolve()
      await free.promise
      stored++
    },
  })
  const received = async (count: number) => {
    await expect.poll(() => events.sum(), { interval: 10 }).toBe(count)
    for (let turn = 0; turn < 20; turn++) await setImmediate()
  }
  upstream.emit(event(bob))
  await started.promise
  isKnown = false
  upstream.emit(event(bob))
  await received(2)
  free.resolve()
  await expect.poll(() => stored, { interval: 10 }).toBe(2)
  upstream.emit(event(bob))
  await received(3)
  expect(stored).toBe(2)
})

test('an event that becomes ready while the transactions end is stored', async () => {
  for (let ticks = 0; ticks < 20; ticks++) {
    const waiting = Promise.withResolvers<void>()
    const second = Promise.withResolvers<void>()
    let [examined, stored] = [0, 0]
    const { stream } = await connect({
      async examine() {
        if (examined++ > 0) {
          waiting.resolve()
          await second.promise
        }
        return { kind: 'changes', changes: [] }
      },
      async storeFinding() {
        stored++
        await waiting.promise
        for (let tick = 0; tick < ticks; tick++) await undefined
        second.resolve()
      },
    })
    upstream.emit(event(bob))
    upstream.emit(event(carol))
    await expect.poll(() => stored, { interval: 10, message: `after ${ticks} ticks` }).toBe(2)
    stream.close()
    await stream.ended
  }
})
