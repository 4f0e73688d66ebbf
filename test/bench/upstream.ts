/** Reading the event stream of another server: how fast events are filtered, what they cost, and a burst of likes of one post. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Client } from './client.ts'
import { folder } from './folders.ts'
import { summary, timed } from './latency.ts'
import { adminAuth, type BenchAccount, createAccount } from './operations.ts'
import type { LoopDelay } from './probe.ts'
import { keepProbing, probe, type Times } from './probing.ts'
import { Measured } from './processes.ts'
import { table } from './table.ts'
import type { Order } from './upstream-source.ts'

const flood = 200_000
const likes = 100_000
/** Events a second of the steady load. */
const pace = 500

/** @param minutes of the steady load */
export async function benchUpstream(minutes = 1): Promise<void> {
  await using source = await Source.start()
  await measureFilter(source, minutes)
  await measureBurst(source)
}

/** Adds the source to a new server. */
async function follow(client: Client, source: Source): Promise<{ account: BenchAccount; reader: Reader }> {
  const account = await createAccount(client, 'alice')
  await client.post('/xrpc/com.core.admin.addUpstream', { url: source.url }, adminAuth)
  const reader = new Reader(client)
  await reader.until(({ state }) => state === 'live')
  return { account, reader }
}

async function measureFilter(source: Source, minutes: number): Promise<void> {
  await using pds = await Measured.pds(await folder())
  using client = new Client(pds.url)
  const { reader } = await follow(client, source)
  await source.obey({ kind: 'flood', count: 5000 })
  await reader.untilRead(5000)
  const before = pds.residentMegabytes()
  const cpu = pds.cpuMicroseconds()
  const ms = await timed(async () => {
    await source.obey({ kind: 'flood', count: flood })
    await reader.untilRead(flood)
  })
  const cpuEach = (pds.cpuMicroseconds() - cpu) / flood
  const steadyCpu = pds.cpuMicroseconds()
  const seconds = Math.round(minutes * 60)
  await source.obey({ kind: 'pace', perSecond: pace, seconds })
  const steadyEach = (pds.cpuMicroseconds() - steadyCpu) / (pace * seconds)
  table(`events that do not concern this server (aims: 5000 a second; ${pace} a second at 10 % of a core)`, [
    { '': 'as fast as possible', 'per second': flood / (ms / 1000), 'CPU µs each': cpuEach },
    { '': 'steadily', 'per second': pace, 'CPU µs each': steadyEach, 'CPU %': (steadyEach * pace) / 1e4 },
  ])
  table('resident memory (aim: no growth)', [
    { '': 'server', 'before MB': before, 'after MB': pds.residentMegabytes() },
  ])
}

async function measureBurst(source: Source): Promise<void> {
  await using pds = await Measured.pds(await folder(), ['--import', join(import.meta.dirname, 'probe.ts')])
  using client = new Client(pds.url)
  const { account, reader } = await follow(client, source)
  const subject = await createPost(client, account)
  const last = await createPost(client, account)
  await source.obey({ kind: 'likes', count: likes, subject, last })
  await reader.until(({ state }) => state === 'live')
  const before: Times = { reads: [], writes: [] }
  await probe(client, account, 200, before)
  await pds.ask('start')
  const memory = pds.residentMegabytes()
  const cpu = pds.cpuMicroseconds()
  const probing = keepProbing(client, account)
  const ms = await timed(async () => {
    await source.obey({ kind: 'burst' })
    while ((await likesOf(client, account, last)) === 0) await setTimeout(50)
  })
  const times = await probing.stop()
  const loop = await pds.ask<LoopDelay>('end')
  const { storedLastHour } = await reader.until(() => true)
  table(`${likes} likes of one post`, [
    {
      '': 'all',
      s: ms / 1000,
      'CPU s': (pds.cpuMicroseconds() - cpu) / 1e6,
      'records stored': storedLastHour,
    },
  ])
  table('requests before and meanwhile (aim: at most 50 ms)', [
    latencies('getSession ms before', before.reads),
    latencies('getSession ms', times.reads),
    latencies('createRecord ms before', before.writes),
    latencies('createRecord ms', times.writes),
    { '': 'late timer ms', p99: loop.p99, longest: loop.longest },
    { '': 'CPU ms between two turns of the timer', longest: loop.cpu },
  ])
  table('resident memory (aim: at most 250 MB)', [
    { '': 'server', 'before MB': memory, 'after MB': pds.residentMegabytes() },
  ])
}

const latencies = (name: string, times: readonly number[]) => ({
  '': name,
  ...summary(times),
  longest: Math.max(...times),
})

interface Post {
  readonly uri: string
}

async function createPost(client: Client, { did, accessJwt }: BenchAccount): Promise<Post> {
  const record = { $type: 'app.example.feed.post', text: 'Hello', createdAt: new Date().toISOString() }
  const input = { repo: did, collection: 'app.example.feed.post', record }
  return (await client.post('/xrpc/com.core.repo.createRecord', input, accessJwt)).json
}

async function likesOf(client: Client, { accessJwt }: BenchAccount, { uri }: Post): Promise<number> {
  const query = new URLSearchParams({ uris: uri })
  return (await client.get(`/xrpc/app.example.feed.getPosts?${query}`, accessJwt)).json.posts[0].likeCount
}

interface State {
  readonly state: string
  readonly eventsLastHour: number
  readonly storedLastHour: number
  readonly lastEventAt?: string
}

/** Reads the state of the upstream at the measured server. */
class Reader {
  readonly #client: Client
  #read = 0

  constructor(client: Client) {
    this.#client = client
  }

  async until(isSo: (state: State) => boolean): Promise<State> {
    for (;;) {
      const { json } = await this.#client.get('/xrpc/com.core.admin.listUpstreams', adminAuth)
      if (isSo(json.upstreams[0])) return json.upstreams[0]
      await setTimeout(50)
    }
  }

  /** Resolves when so many more events have been read. */
  async untilRead(count: number): Promise<void> {
    this.#read += count
    await this.until(({ eventsLastHour }) => eventsLastHour >= this.#read)
  }
}

/** The other server, in a process of its own. */
class Source implements AsyncDisposable {
  readonly url: string
  readonly #child: ChildProcess

  private constructor(child: ChildProcess, url: string) {
    this.#child = child
    this.url = url
  }

  static async start(): Promise<Source> {
    const child = fork(join(import.meta.dirname, 'upstream-source.ts'))
    const [url] = await once(child, 'message')
    return new Source(child, url as string)
  }

  /** Resolves when it is done. */
  async obey(order: Order): Promise<void> {
    this.#child.send(order)
    await once(this.#child, 'message')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exit = once(this.#child, 'exit')
    this.#child.kill()
    await exit
  }
}
