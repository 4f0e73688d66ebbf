/**
 * The long run: 500 calls per second of all kinds on a database of 80 MB, with latency and memory of each minute.
 * `npm run bench -- soak` takes 20 minutes, `npm run bench -- soak=3` takes 3.
 */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Client } from './client.ts'
import { folder } from './folders.ts'
import { adminAuth, type BenchAccount, createAccount } from './operations.ts'
import { Measured } from './processes.ts'
import { createPost } from './records.ts'
import { seed } from './seed.ts'
import { quantile } from './statistics.ts'
import { table } from './table.ts'

const connections = 10
const callsPerSecond = 500
/** Makes a database of 80 MB. */
const seededRows = 220_000

type Call = (client: Client, account: BenchAccount) => Promise<unknown>

const get =
  (method: string): Call =>
  (client, { accessJwt }) =>
    client.get(`/xrpc/${method}`, accessJwt)
const createRecord: Call = (client, account) => {
  const { input, token } = createPost(account)
  return client.post('/xrpc/com.core.repo.createRecord', input, token)
}

/** The calls of each connection, in turn: seven reads and three writes. */
const mix: readonly Call[] = [
  get('com.core.server.getSession'),
  get('app.example.notification.listNotifications'),
  createRecord,
  get('app.example.notification.getUnreadCount'),
  get('com.core.server.getSession'),
  (client, account) => client.call('refreshSession', undefined, account.refreshJwt),
  get('com.core.server.listSessions'),
  get('app.example.notification.getUnreadCount'),
  get('com.core.server.getSession'),
  (client) => client.call('createInviteCode', { useCount: 1 }, adminAuth),
]

export async function benchSoak(minutes = 20): Promise<void> {
  const dir = await folder()
  await seed(dir, seededRows)
  await using server = await Measured.pds(dir)
  const accounts: BenchAccount[] = []
  using client = new Client(server.url)
  for (let i = 0; i < connections; i++) accounts.push(await createAccount(client, `account-${i}`))

  const rows = []
  for (let minute = 1; minute <= minutes; minute++) {
    const times = (await Promise.all(accounts.map((account) => callForAMinute(server.url, account)))).flat()
    const database = await databaseMegabytes(dir)
    rows.push({
      '': `minute ${minute}`,
      'calls/s': Math.round(times.length / 60),
      'median ms': quantile(times, 0.5),
      'p99 ms': quantile(times, 0.99),
      'longest ms': Math.max(...times),
      'database MB': Math.round(database),
      'resident MB': Math.round(server.residentMegabytes()),
      'aim MB': Math.round(110 + 2 * database),
    })
  }
  table(`${callsPerSecond} calls per second, minute by minute (aim: p99 under 50 ms)`, rows)
}

/** @returns milliseconds of each call, from when it was due */
async function callForAMinute(url: string, account: BenchAccount): Promise<number[]> {
  using client = new Client(url)
  const times: number[] = []
  const start = performance.now()
  const interval = (1000 * connections) / callsPerSecond
  for (let due = start; due < start + 60_000; due += interval) {
    const wait = due - performance.now()
    if (wait > 0) await setTimeout(wait)
    const begin = Math.max(due, start)
    await mix[times.length % mix.length]?.(client, account)
    times.push(performance.now() - begin)
  }
  return times
}

/** The database file. */
async function databaseMegabytes(dir: string): Promise<number> {
  const names = (await readdir(dir)).filter((name) => name === 'pds.sqlite')
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(dir, name))).size))
  return (sizes[0] ?? 0) / 1e6
}
