/** Notifications: latency of reads with many of them, and event-loop delay while many subscribers are notified. */
import { join } from 'node:path'
import type { DidString } from '@atproto/syntax'
import { Client } from './client.ts'
import { Disk } from './disk.ts'
import { folder } from './folders.ts'
import { type Latency, measureLatencies, type Operation } from './latency.ts'
import { seedNotifications, seedSubscribers } from './notification-seed.ts'
import { type BenchAccount, baselines, createAccount } from './operations.ts'
import type { LoopDelay } from './probe.ts'
import { Measured } from './processes.ts'
import { createPost } from './records.ts'
import { type Start, start, startRow } from './start.ts'
import { median } from './statistics.ts'
import { table } from './table.ts'

const sizes = [1000, 100_000, 1_000_000]
const subscribers = 10_000
const namespace = '/xrpc/app.example.notification'

export async function benchNotifications(): Promise<void> {
  await benchSizes()
  await benchFanOut()
}

interface Directory {
  readonly size: number
  readonly dir: string
  readonly account: BenchAccount
}

async function benchSizes(): Promise<void> {
  const directories: Directory[] = []
  for (const size of sizes) {
    const { dir, accounts } = await directoryOf(['alice'])
    const [account] = accounts as [BenchAccount]
    await seedNotifications(dir, account.did as DidString, size)
    directories.push({ size, dir, account })
  }
  await benchStarts(directories)
  await benchReads(directories)
}

async function benchStarts(directories: readonly Directory[]): Promise<void> {
  const starts = new Map<number, Start[]>()
  for (let round = 0; round < 3; round++) {
    for (const { size, dir } of directories) {
      starts.set(size, [...(starts.get(size) ?? []), await start(dir)])
    }
  }
  table(
    'start to the first response, by number of notifications',
    Array.from(starts, ([size, some]) => startRow(size.toLocaleString('en'), some)),
  )
}

/** Measures the reads on one server per size, interleaved. */
async function benchReads(directories: readonly Directory[]): Promise<void> {
  await using servers = new AsyncDisposableStack()
  const bare = servers.use(await Measured.bare(await folder()))
  const disk = servers.use(await Disk.open(await folder()))
  const reads = new Map<number, Operation[]>()
  const measured: { size: number; pds: Measured }[] = []
  for (const { size, dir, account } of directories) {
    const pds = servers.use(await Measured.pds(dir))
    const client = servers.use(new Client(pds.url))
    measured.push({ size, pds })
    reads.set(size, readsOf(client, account, size))
  }
  const bareClient = servers.use(new Client(bare.url))
  const latencies = await measureLatencies([...baselines(disk, bareClient), ...[...reads.values()].flat()])
  const titles = (reads.get(sizes[0] as number) ?? []).map(({ name }) => name.replace(/^[^:]*: /, ''))
  table(
    'reading notifications, one call at a time: median ms',
    titles.map((title) => {
      const medians = sizes.map((size) => (latencies.get(nameOf(size, title)) as Latency).median)
      return {
        '': title,
        ...Object.fromEntries(sizes.map((size, i) => [size.toLocaleString('en'), medians[i] as number])),
        'last / first': (medians.at(-1) as number) / (medians[0] as number),
      }
    }),
  )
  table(
    'resident memory afterwards',
    measured.map(({ size, pds }) => ({ '': size.toLocaleString('en'), MB: pds.residentMegabytes() })),
  )
}

function readsOf(client: Client, { accessJwt }: BenchAccount, size: number): Operation[] {
  const read = (title: string, query: string, times = 400) => ({
    name: nameOf(size, title),
    times,
    run: () => client.get(`${namespace}.${query}`, accessJwt),
  })
  return [
    read('listNotifications, page of 50', 'listNotifications'),
    read('listNotifications of two reasons', 'listNotifications?reasons=mention&reasons=quote'),
    read('listNotifications of followed authors', 'listNotifications?priority=true'),
    read('getUnreadCount', 'getUnreadCount'),
    read('getUnreadCount of followed authors', 'getUnreadCount?priority=true'),
  ]
}

function nameOf(size: number, title: string): string {
  return `${size}: ${title}`
}

/** Posts repeatedly from an account with ten thousand subscribers, and polls until the last one has its notification. */
async function benchFanOut(): Promise<void> {
  const { dir, accounts } = await directoryOf(['author', 'last'])
  const [author, last] = accounts as [BenchAccount, BenchAccount]
  await seedSubscribers(dir, author.did as DidString, subscribers - 1)
  await using server = await Measured.pds(dir, ['--import', join(import.meta.dirname, 'probe.ts')])
  using writer = new Client(server.url)
  using reader = new Client(server.url)
  const subscription = { subject: author.did, activitySubscription: { post: true, reply: false } }
  await reader.post(`${namespace}.putActivitySubscription`, subscription, last.accessJwt)

  const { input, token } = createPost(author)
  const answered = []
  const notified = []
  const stops = []
  for (let posts = 1; posts <= 10; posts++) {
    await server.ask('start')
    const begin = performance.now()
    await writer.post('/xrpc/com.core.repo.createRecord', input, token)
    answered.push(performance.now() - begin)
    while ((await reader.get(`${namespace}.getUnreadCount`, last.accessJwt)).json.count < posts);
    notified.push(performance.now() - begin)
    stops.push((await server.ask<LoopDelay>('end')).longest)
  }
  table('a post with 10,000 subscribers', [
    {
      '': 'the author receives the response',
      'median ms': median(answered),
      'longest ms': Math.max(...answered),
    },
    {
      '': 'the last subscriber is notified',
      'median ms': median(notified),
      'longest ms': Math.max(...notified),
    },
    { '': 'longest delay of the event loop', 'median ms': median(stops), 'longest ms': Math.max(...stops) },
  ])
}

/** Creates a data directory with accounts, whose tokens stay valid. */
async function directoryOf(names: readonly string[]): Promise<{ dir: string; accounts: BenchAccount[] }> {
  const dir = await folder()
  await using server = await Measured.pds(dir)
  using client = new Client(server.url)
  const accounts: BenchAccount[] = []
  for (const name of names) accounts.push(await createAccount(client, name))
  return { dir, accounts }
}
