/**
 * `npm run bench`: what the server takes, beside a bare node:http server and a bare disk in the same run, and beside the
 * network's reference server as measured once on another machine of two cores.
 */
import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from './client.ts'
import { measureFold } from './fold.ts'
import { type Latency, measureLatencies, summary, timed } from './latency.ts'
import { type BenchAccount, createAccount, diskOperation, operations } from './operations.ts'
import { Measured } from './processes.ts'
import { seed } from './seed.ts'
import { median } from './statistics.ts'
import { type Compared, compareThroughput } from './throughput.ts'

/** Medians of the reference server, in milliseconds. */
const referenceLatency: Record<string, number> = {
  createSession: 354,
  refreshSession: 2.9,
  createAppPassword: 70,
  listAppPasswords: 1.4,
  createInviteCode: 1.3,
  getServiceAuth: 3.4,
  getSession: 0.9,
}

const folders: string[] = []
const root = join(import.meta.dirname, '../..')

try {
  await benchRequests()
  await benchStart()
  benchInstall()
} finally {
  await Promise.all(folders.map((dir) => rm(dir, { recursive: true, force: true })))
}

/** Everything that one server in use shows. */
async function benchRequests(): Promise<void> {
  const dir = await folder()
  await using pds = await Measured.pds(dir)
  await using bare = await Measured.bare()
  using client = new Client(pds.url)
  const account = await createAccount(client, 'alice')

  const servers = { pds, bare, client }
  const session = await compareThroughput(servers, '/xrpc/com.core.server.getSession', account.accessJwt)
  const description = await compareThroughput(servers, '/xrpc/com.core.server.describeServer')
  table('requests at 10 connections', [
    throughputRow('getSession', session, '1,210/s, 900 µs'),
    throughputRow('describeServer', description, '4,600/s'),
  ])

  await using disk = await diskOperation(dir)
  const latencies = await measureLatencies([disk, ...(await operations(client, account))])
  const yardstick = latencies.get(disk.name)?.median ?? Number.NaN
  table(
    'latency, one call at a time',
    Array.from(latencies, ([name, latency]) => latencyRow(name, latency, yardstick)),
  )

  const { quiet, busy } = await tailDuringLogins(pds.url, account)
  table('getSession while others sign in', [
    { '': 'quiet', 'median ms': quiet.median, 'p99 ms': quiet.p99, 'reference p99 ms': 4 },
    { '': '10 sign in', 'median ms': busy.median, 'p99 ms': busy.p99, 'reference p99 ms': 14 },
    {
      '': 'ratio',
      'median ms': busy.median / quiet.median,
      'p99 ms': busy.p99 / quiet.p99,
      'reference p99 ms': 14 / 4,
    },
  ])
  table('resident memory after all that', [{ '': 'server', MB: pds.residentMegabytes(), reference: '377' }])
}

function throughputRow(name: string, { ours, bare, share }: Compared, reference: string) {
  return {
    '': name,
    'per second': Math.round(ours.perSecond),
    'bare per second': Math.round(bare.perSecond),
    share,
    'CPU µs': Math.round(ours.cpuPerRequest),
    'bare CPU µs': Math.round(bare.cpuPerRequest),
    reference,
  }
}

function latencyRow(name: string, { median, p99 }: Latency, yardstick: number) {
  return {
    '': name,
    'median ms': median,
    'p99 ms': p99,
    '× disk': median / yardstick,
    'reference ms': referenceLatency[name] ?? '',
  }
}

/** The tail of getSession on one connection, alone and while ten clients do nothing but sign in. */
async function tailDuringLogins(url: string, { accessJwt, handle, password }: BenchAccount) {
  using client = new Client(url)
  const read = () => timed(() => client.get('/xrpc/com.core.server.getSession', accessJwt))
  const quiet = await readFor(3000, read)
  const stopped = new AbortController()
  const logins = Array.from({ length: 10 }, async () => {
    using own = new Client(url)
    while (!stopped.signal.aborted) await own.call('createSession', { identifier: handle, password })
  })
  const busy = await readFor(6000, read)
  stopped.abort()
  await Promise.all(logins)
  return { quiet: summary(quiet), busy: summary(busy) }
}

async function readFor(ms: number, read: () => Promise<number>): Promise<number[]> {
  const end = performance.now() + ms
  const times = []
  while (performance.now() < end) times.push(await read())
  return times
}

async function benchStart(): Promise<void> {
  const empty = await folder()
  const full = await folder()
  await seed(full, 100_000)
  const first = []
  const again = []
  const large = []
  for (let round = 0; round < 7; round++) {
    first.push(await start(await folder()))
    again.push(await start(empty))
    large.push(await start(full))
  }
  table('start to the first answer', [
    startRow('first start, creates the store', first, '3,000 ms, 292 MB'),
    startRow('empty store', again, '3,000 ms, 292 MB'),
    startRow('100,000 rows', large, ''),
  ])
  const { quiet, folding } = await measureFold(full)
  table('stops of the event loop, with 100,000 rows', [
    { '': 'while writing', 'p99 ms': quiet.p99, 'longest ms': quiet.longest },
    { '': 'during a fold', 'p99 ms': folding.p99, 'longest ms': folding.longest },
  ])
}

interface Start {
  readonly ms: number
  readonly megabytes: number
}

/** From the start of the process to its first answer; its memory a second later. */
async function start(dir: string): Promise<Start> {
  const begin = performance.now()
  await using server = await Measured.pds(dir)
  using client = new Client(server.url)
  await client.get('/xrpc/com.core.server.describeServer')
  const ms = performance.now() - begin
  await new Promise((resolve) => setTimeout(resolve, 1000))
  return { ms, megabytes: server.residentMegabytes() }
}

function startRow(name: string, starts: readonly Start[], reference: string) {
  return {
    '': name,
    'median ms': Math.round(median(starts.map(({ ms }) => ms))),
    'idle MB': Math.round(median(starts.map(({ megabytes }) => megabytes))),
    reference,
  }
}

function benchInstall(): void {
  const list = ['ls', '--omit=dev', '--all', '--parseable']
  const installed = execFileSync('npm', list, { cwd: root, encoding: 'utf8' }).trim().split('\n').slice(1)
  const addons = installed.flatMap((folder) => globSync('**/*.node', { cwd: folder }))
  table('a production install', [
    { '': 'packages', count: installed.length, reference: 575 },
    { '': 'native addons', count: addons.length, reference: 4 },
  ])
}

async function folder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'pds-bench-'))
  folders.push(dir)
  return dir
}

function table(title: string, rows: readonly Record<string, string | number>[]): void {
  console.log(`\n${title}`)
  const shown = rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([key, value]) => [key, rounded(value)])),
  )
  console.table(Object.fromEntries(shown.map(({ '': name, ...cells }) => [name, cells])))
}

function rounded(value: string | number): string | number {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toFixed(2)) : value
}
