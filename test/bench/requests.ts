/** Throughput and latency of common requests, and memory after them. */
import { Client } from './client.ts'
import { Disk } from './disk.ts'
import { folder } from './folders.ts'
import { latencyRow, measureLatencies, summary, timed } from './latency.ts'
import { type BenchAccount, baselines, createAccount, operations } from './operations.ts'
import { Measured } from './processes.ts'
import { createRecordOperation } from './records.ts'
import { table } from './table.ts'
import { compareThroughput, throughputRow } from './throughput.ts'

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

export async function benchRequests(): Promise<void> {
  await using pds = await Measured.pds(await folder())
  await using bare = await Measured.bare(await folder())
  using client = new Client(pds.url)
  const account = await createAccount(client, 'alice')

  const servers = { pds, bare, client }
  const { accessJwt: token } = account
  const session = await compareThroughput(servers, {
    path: '/xrpc/com.core.server.getSession',
    calls: [{ token }],
  })
  const description = await compareThroughput(servers, {
    path: '/xrpc/com.core.server.describeServer',
    calls: [{}],
  })
  table('requests at 10 connections', [
    { ...throughputRow('getSession', session), reference: '1,210/s, 900 µs' },
    { ...throughputRow('describeServer', description), reference: '4,600/s' },
  ])

  await using disk = await Disk.open(await folder())
  using bareClient = new Client(bare.url)
  const measured = [
    ...baselines(disk, bareClient),
    ...(await operations(client, account)),
    createRecordOperation(client, account),
  ]
  const latencies = await measureLatencies(measured)
  const rows = Array.from(latencies, ([name, latency]) => ({
    ...latencyRow(name, latency, latencies),
    '× getSession': latency.median / (latencies.get('getSession')?.median ?? Number.NaN),
    'reference ms': referenceLatency[name] ?? '',
  }))
  table('latency, one call at a time', rows)

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
  table('resident memory after these requests', [
    { '': 'server', MB: pds.residentMegabytes(), reference: '377' },
  ])
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
