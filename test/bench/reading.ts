/** Feeds and threads beside getSession: throughput, and the cost of an answer that is not cached, by number of records. */
import type { DidString } from '@atproto/syntax'
import { Client } from './client.ts'
import { folder } from './folders.ts'
import { type BenchAccount, createAccount } from './operations.ts'
import { Measured } from './processes.ts'
import { type Seeded, seedRecords } from './reading-seed.ts'
import { table } from './table.ts'
import { measureThroughput, type Throughput } from './throughput.ts'

const sizes = [1000, 300_000]
const rounds = 3
const calls = 200

interface Read {
  readonly title: string
  readonly path: string
}

interface Result {
  /** Of the round with the median rate. */
  readonly throughput: Throughput
  /** Microseconds of the server's CPU for an answer that is not cached. */
  readonly uncached: number
}

export async function benchReading(): Promise<void> {
  const results = new Map<string, Result[]>()
  for (const size of sizes) {
    for (const [title, result] of await measureSize(size)) {
      results.set(title, [...(results.get(title) ?? []), result])
    }
  }
  const [sessions = []] = results.values()
  table(
    'reading at 10 connections, by number of records',
    Array.from(results, ([title, measured]) => row(title, measured, sessions)),
  )
}

function row(title: string, measured: readonly Result[], sessions: readonly Result[]) {
  const [small, large] = measured as [Result, Result]
  const [smallSession, largeSession] = sessions as [Result, Result]
  const perSecond = (of: Result) => Math.round(of.throughput.perSecond)
  const share = (of: Result, session: Result) => of.throughput.perSecond / session.throughput.perSecond
  const [few, many] = sizes.map((size) => size.toLocaleString('en'))
  return {
    '': title,
    [`${few}: /s`]: perSecond(small),
    '× getSession': share(small, smallSession),
    'uncached CPU µs': Math.round(small.uncached),
    [`${many}: /s`]: perSecond(large),
    '× getSession ': share(large, largeSession),
    'uncached CPU µs ': Math.round(large.uncached),
    growth: share(small, smallSession) / share(large, largeSession),
    'growth uncached': large.uncached / small.uncached,
  }
}

async function measureSize(size: number): Promise<Map<string, Result>> {
  const dir = await folder()
  const account = await newReader(dir)
  const seeded = await seedRecords(dir, account.did as DidString, size)
  await using pds = await Measured.pds(dir)
  using client = new Client(pds.url)
  const rates = new Map<string, Throughput[]>()
  const reads = readsOf(seeded)
  const token = account.accessJwt
  for (let round = 0; round < rounds; round++) {
    // Interleaved, so that other load on the machine affects all of them.
    for (const { title, path } of reads) {
      const rate = await measureThroughput(pds, { path, calls: [{ token }] })
      rates.set(title, [...(rates.get(title) ?? []), rate])
    }
  }
  const results = new Map<string, Result>()
  for (const { title, path } of reads) {
    const sorted = (rates.get(title) ?? []).toSorted((a, b) => a.perSecond - b.perSecond)
    const throughput = sorted[Math.floor(rounds / 2)] as Throughput
    results.set(title, { throughput, uncached: await uncached(pds, client, path, token) })
  }
  return results
}

/** Measures answers to queries that differ, which are computed anew. */
async function uncached(pds: Measured, client: Client, path: string, token: string): Promise<number> {
  const run = async (from: number) => {
    for (let i = from; i < from + calls; i++) {
      await client.get(`${path}${path.includes('?') ? '&' : '?'}different=${i}`, token)
    }
  }
  await run(0)
  const before = pds.cpuMicroseconds()
  await run(calls)
  return (pds.cpuMicroseconds() - before) / calls
}

async function newReader(dir: string): Promise<BenchAccount> {
  await using pds = await Measured.pds(dir)
  using client = new Client(pds.url)
  return await createAccount(client, 'reader')
}

function readsOf({ thread, author }: Seeded): Read[] {
  const feed = '/xrpc/app.bsky.feed'
  return [
    { title: 'getSession', path: '/xrpc/com.atproto.server.getSession' },
    { title: 'getTimeline, 50 posts', path: `${feed}.getTimeline?limit=50` },
    { title: 'getTimeline, 1 post', path: `${feed}.getTimeline?limit=1` },
    { title: 'getPostThread, 50 replies', path: `${feed}.getPostThread?uri=${encodeURIComponent(thread)}` },
    { title: 'getAuthorFeed, 50 posts', path: `${feed}.getAuthorFeed?limit=50&actor=${author}` },
  ]
}
