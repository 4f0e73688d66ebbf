/** The event stream: commits with 0, 1 and 10 consumers, how far behind these are, and the replay of old events. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Client } from './client.ts'
import type { Arrived } from './consumers.ts'
import { folder } from './folders.ts'
import { summary, timed } from './latency.ts'
import { type BenchAccount, createAccount } from './operations.ts'
import { Measured } from './processes.ts'
import { createPost } from './records.ts'
import { table } from './table.ts'
import { measureThroughput } from './throughput.ts'

const path = '/xrpc/com.core.repo.createRecord'
const streamPath = '/xrpc/com.core.sync.subscribeRepos'
const writers = 10
/** Commits a second of the steady load, and its duration. */
const pace = 500
const seconds = 5
const none: Arrived = { events: 0, median: Number.NaN, p99: Number.NaN, seconds: 0 }

export async function benchStream(): Promise<void> {
  await using pds = await Measured.pds(await folder())
  using client = new Client(pds.url)
  const accounts: BenchAccount[] = []
  for (let i = 0; i < writers; i++) accounts.push(await createAccount(client, `account-${i}`))
  await measureThroughput(pds, { path, calls: accounts.map(createPost) })

  const steady = []
  const highest = []
  for (const count of [0, 1, 10]) {
    await using consumers = await Consumers.connect(pds, count)
    const name = count === 1 ? '1 consumer' : `${count} consumers`
    steady.push({ '': name, ...(await measureSteady(pds, accounts, consumers)) })
    const { perSecond, cpuPerRequest } = await measureThroughput(pds, {
      path,
      calls: accounts.map(createPost),
    })
    highest.push({ '': name, 'per second': Math.round(perSecond), 'CPU µs': Math.round(cpuPerRequest) })
  }
  table(`${pace} commits a second (aims: lag p99 of 100 ms; nothing else 1.5 × slower)`, steady)
  table('createRecord at 10 connections, as fast as possible', highest)
  table('replay', [{ '': 'one consumer', 'events per second': await measureReplay(pds) }])
}

/** Creates records at a steady pace, and reads a session now and then. */
async function measureSteady(pds: Measured, accounts: readonly BenchAccount[], consumers: Consumers) {
  const clients = accounts.map(() => new Client(pds.url))
  using reader = new Client(pds.url)
  const token = accounts[0]?.accessJwt
  const writes: number[] = []
  const reads: number[] = []
  const start = performance.now()
  const load = accounts.map(async (account, index) => {
    const { input } = createPost(account)
    for (let n = 0; n < (pace * seconds) / writers; n++) {
      const due = start + ((n * writers + index) / pace) * 1000
      await setTimeout(Math.max(due - performance.now(), 0))
      writes.push(await timed(async () => clients[index]?.post(path, input, account.accessJwt)))
      if (index === 0) reads.push(await timed(() => reader.get('/xrpc/com.core.server.getSession', token)))
    }
  })
  await Promise.all(load)
  const perSecond = writes.length / ((performance.now() - start) / 1000)
  for (const client of clients) client[Symbol.dispose]()
  const lag = await consumers.arrived()
  const [write, read] = [summary(writes), summary(reads)]
  return {
    'commits/s': Math.round(perSecond),
    'write p50 ms': write.median,
    'write p99': write.p99,
    'getSession p50': read.median,
    'getSession p99': read.p99,
    'lag p50': lag.median,
    'lag p99': lag.p99,
  }
}

/** Returns events a second. */
async function measureReplay(pds: Measured): Promise<number> {
  await using consumer = await Consumers.connect(pds, 1, '?cursor=0')
  let total = 0
  let taken = 0
  for (;;) {
    await setTimeout(500)
    const { events, seconds } = await consumer.arrived()
    if (events === 0) return Math.round(total / taken)
    total += events
    taken += seconds
  }
}

/** Consumers of the stream, in a process of their own. */
class Consumers implements AsyncDisposable {
  readonly #child: ChildProcess | undefined

  private constructor(child: ChildProcess | undefined) {
    this.#child = child
  }

  static async connect(pds: Measured, count: number, query = ''): Promise<Consumers> {
    if (count === 0) return new Consumers(undefined)
    const url = pds.url.replace('http', 'ws') + streamPath + query
    const child = fork(join(import.meta.dirname, 'consumers.ts'), [url, `${count}`])
    await once(child, 'message')
    return new Consumers(child)
  }

  /** The messages since the last call. */
  async arrived(): Promise<Arrived> {
    if (!this.#child) return none
    this.#child.send('report')
    const [arrived] = await once(this.#child, 'message')
    return arrived as Arrived
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#child) return
    const exit = once(this.#child, 'exit')
    this.#child.kill()
    await exit
  }
}
