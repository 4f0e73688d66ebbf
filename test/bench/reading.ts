/** Feeds and threads beside getSession: throughput, and the time of an answer that is not cached, by number of records. */
import type { DidString } from '@atproto/syntax'
import { Client } from './client.ts'
import { folder } from './folders.ts'
import { type BenchAccount, createAccount } from './operations.ts'
import { Measured } from './processes.ts'
import { type Seeded, seedRecords } from './reading-seed.ts'
import { median } from './statistics.ts'
import { table } from './table.ts'
import { measureThroughput, type Throughput } from './throughput.ts'

const sizes = [1000, 300_000]
const rounds = 5
const calls = 100

interface Read {
  readonly title: string
  readonly path: string
}

interface Result {
  /** Of the round with the median rate. */
  readonly throughput: Throughput
  /** Milliseconds of an answer that is not cached. */
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
  const perSecond = measured.map(({ throughput }) => throughput.perSecond)
  const shares = perSecond.map((rate, i) => rate / (sessions[i]?.throughput.perSecond ?? Number.NaN))
  const [small = Number.NaN, large = Number.NaN] = measured.map(({ uncached }) => uncached)
  return {
    '': title,
    ...Object.fromEntries(sizes.map((size, i) => [`${name(size)}/s`, Math.round(perSecond[i] ?? 0)])),
    ...Object.fromEntries(sizes.map((size, i) => [`× getSession, ${name(size)}`, shares[i]])),
    growth: (perSecond[0] ?? Number.NaN) / (perSecond[1] ?? Number.NaN),
    'uncached ms': small,
    [`uncached ms, ${name(sizes[1] ?? 0)}`]: large,
  }
}

const name = (size: number) => size.toLocaleString('en')

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
    results.set(title, { throughput, uncached: await uncached(client, path, token) })
  }
  return results
}

/** Times answers to queries that differ, which are computed anew. */
async function uncached(client: Client, path: string, token: string): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < calls; i++) {
    const start = performance.now()
    await client.get(`${path}${path.includes('?') ? '&' : '?'}different=${i}`, token)
    times.push(performance.now() - start)
  }
  return median(times.slice(calls / 10))
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
