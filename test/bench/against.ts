/**
 * `npm run bench -- against COMMIT [ROUNDS]`: this server beside the one of another commit, on fresh data, in alternating rounds.
 * CPU time counts: other load on the machine changes it little, and rates a lot. In place of a commit, a folder with a built server.
 */
import { alternate } from './alternate.ts'
import { builtEntry } from './checkout.ts'
import { Client } from './client.ts'
import { folder } from './folders.ts'
import type { Load } from './load.ts'
import { type BenchAccount, createAccount } from './operations.ts'
import { Measured } from './processes.ts'
import { createPost } from './records.ts'
import { type Row, table } from './table.ts'

const records = 3000
const likes = 60

interface Side {
  readonly server: Measured
  readonly loads: ReadonlyMap<string, Load>
  /** Megabytes after the records. */
  readonly resident: number
}

export async function benchAgainst([commit, rounds = '5']: readonly string[]): Promise<void> {
  if (commit === undefined) throw new Error('Name a commit: npm run bench -- against COMMIT')
  const entry = await builtEntry(commit)
  await using here = await Measured.pds(await folder())
  await using there = await Measured.pds(await folder(), [], {}, entry)
  const sides = [await filled(here), await filled(there)] as const
  const rows: Row[] = []
  for (const name of sides[0].loads.keys()) rows.push(await compared(name, sides, Number(rounds)))
  table(`this commit beside ${commit}: medians of ${rounds} alternating rounds`, rows)
  const [ours, theirs] = sides.map(({ resident }) => resident) as [number, number]
  table(`resident memory after ${records} records`, [
    { '': 'server', MB: ours, 'MB there': theirs, ratio: ours / theirs },
  ])
}

async function compared(name: string, [here, there]: readonly [Side, Side], rounds: number): Promise<Row> {
  const of = ({ server, loads }: Side) => [server, loads.get(name) as Load] as const
  const [ours, theirs, ratio] = await alternate(of(here), of(there), rounds)
  return {
    '': name,
    'CPU µs': ours.cpuPerRequest,
    'CPU µs there': theirs.cpuPerRequest,
    ratio,
    'per second': Math.round(ours.perSecond),
    'per second there': Math.round(theirs.perSecond),
  }
}

/** Fills a server with ten accounts, their records, and the notifications of some likes. */
async function filled(server: Measured): Promise<Side> {
  using client = new Client(server.url)
  const accounts: BenchAccount[] = []
  for (let i = 0; i < 10; i++) accounts.push(await createAccount(client, `account-${i}`))
  const posts = accounts.map(createPost)
  const [first, second] = accounts as [BenchAccount, BenchAccount]
  const create = async (at: number, input = posts[at]?.input) =>
    (await client.post(createRecord, input, accounts[at]?.accessJwt)).json
  for (let i = 0; i < records - 2 * likes; i++) await create(i % accounts.length)
  for (let i = 0; i < likes; i++) {
    const { uri, cid } = await create(0)
    const record = { subject: { uri, cid }, createdAt: '2030-01-01T00:00:00.000Z' }
    await create(1, { repo: second.did, collection: 'app.example.feed.like', record })
  }
  const resident = server.residentMegabytes()
  const { uri } = await create(0)
  const record = new URLSearchParams({
    repo: first.did,
    collection: uri.split('/')[3],
    rkey: uri.split('/')[4],
  })
  const calls = [{ token: first.accessJwt }]
  const loads = new Map<string, Load>([
    ['describeServer', { path: '/xrpc/com.core.server.describeServer', calls: [{}], amount: 6000 }],
    ['getSession', { path: '/xrpc/com.core.server.getSession', calls, amount: 6000 }],
    ['getRecord', { path: `/xrpc/com.core.repo.getRecord?${record}`, calls: [{}], amount: 6000 }],
    ['listNotifications', { path: '/xrpc/app.example.notification.listNotifications', calls, amount: 600 }],
    [
      'createRecord, 1 connection',
      { path: createRecord, calls: posts.slice(0, 1), connections: 1, amount: 300 },
    ],
    ['createRecord, 10 connections', { path: createRecord, calls: posts, amount: 1000 }],
  ])
  return { server, loads, resident }
}

const createRecord = '/xrpc/com.core.repo.createRecord'
