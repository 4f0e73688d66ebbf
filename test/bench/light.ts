/**
 * `npm run bench -- light`: start and memory of the server, of the desktop's main process and of its page. Fails above the limits of
 * light.json: starts as ratios to something bare in the same run, memory in MB. `--no-desktop` leaves the desktop out. In a real
 * Electron, where nothing is bare, the starts have limits in milliseconds.
 */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, launchBrowser, newProfile, type Page } from '../support/page/browser.ts'
import { Client } from './client.ts'
import { folder } from './folders.ts'
import { createAccount } from './operations.ts'
import { Measured } from './processes.ts'
import { start } from './start.ts'
import { median } from './statistics.ts'
import { type Row, table } from './table.ts'

interface Limit {
  /** As a multiple of the bare start. */
  readonly start?: number
  readonly ms?: number
  readonly MB: number
}

type Part = 'server' | 'main' | 'page' | 'next window'

const limits: Record<Part, Limit> & { readonly Electron: Partial<Record<Part, Limit>> } = JSON.parse(
  readFileSync(join(import.meta.dirname, 'light.json'), 'utf8'),
)
const rounds = 5

export interface Measurement {
  readonly ms: readonly number[]
  readonly megabytes: number
}

export async function benchLight(args: readonly string[]): Promise<void> {
  const browser = await launchBrowser()
  try {
    const bareProcess = await repeat(async () => {
      const begin = performance.now()
      await using _ = await Measured.bareExpress()
      return performance.now() - begin
    })
    const barePage = await repeat(() => startOfBarePage(browser))
    const rows = [
      rowOf('server', await measureServer(), bareProcess),
      rowOf('page', await measurePage(browser), barePage),
    ]
    if (!args.includes('--no-desktop')) {
      const { measureDesktop } = await import('./light-desktop.ts')
      const { main, nextWindow, isStandIn } = await measureDesktop(rounds)
      rows.push(rowOf('main', main, isStandIn ? bareProcess : undefined))
      rows.push(rowOf('next window', nextWindow, isStandIn ? barePage : undefined))
    }
    table(`start and memory: medians of ${rounds} rounds`, rows)
    if (rows.some(({ result }) => result !== 'ok'))
      throw new Error(
        'A part starts too slowly or takes too much memory. If there is a reason, write the limit in test/bench/light.json',
      )
  } finally {
    await browser.close()
  }
}

async function repeat(work: () => Promise<number>): Promise<number[]> {
  const all: number[] = []
  for (let round = 0; round < rounds; round++) all.push(await work())
  return all
}

/** @param bare starts of something bare; undefined for a limit in milliseconds */
function rowOf(part: Part, { ms, megabytes }: Measurement, bare: readonly number[] | undefined): Row {
  const limit = (bare ? undefined : limits.Electron[part]) ?? limits[part]
  const [took, bareMs] = [median(ms), bare && median(bare)]
  const isSlow = took > (bareMs === undefined ? (limit.ms ?? 0) : bareMs * (limit.start ?? 0))
  return {
    '': part,
    ms: took,
    'bare ms': bareMs ?? '',
    ratio: bareMs === undefined ? '' : took / bareMs,
    limit: bareMs === undefined ? `${limit.ms} ms` : (limit.start ?? 0),
    MB: megabytes,
    'limit MB': limit.MB,
    result: isSlow ? 'too slow' : megabytes > limit.MB ? 'too large' : 'ok',
  }
}

async function measureServer(): Promise<Measurement> {
  const dir = await folder()
  const starts = []
  for (let round = 0; round < rounds; round++) starts.push(await start(dir))
  return { ms: starts.map(({ ms }) => ms), megabytes: median(starts.map(({ megabytes }) => megabytes)) }
}

async function startOfBarePage(browser: Browser): Promise<number> {
  const begin = performance.now()
  const profile = await newProfile(browser)
  const page = await profile.newPage()
  await page.goto('data:text/html,<h1>Bare</h1>')
  await page.getByRole('heading', { name: 'Bare' }).waitFor()
  const ms = performance.now() - begin
  await profile.close()
  return ms
}

/** A browser that is signed in opens the page: until Home has its heading. */
async function measurePage(browser: Browser): Promise<Measurement> {
  await using server = await Measured.pds(await folder())
  using client = new Client(server.url)
  const { did, accessJwt, refreshJwt } = await createAccount(client, 'alice')
  const profile = await newProfile(browser)
  const sessions = JSON.stringify([{ did, handle: 'alice.test', accessJwt, refreshJwt }])
  let megabytes = Number.NaN
  const ms = await repeat(async () => {
    const begin = performance.now()
    const page = await profile.newPage()
    await page.addInitScript((text) => localStorage.setItem('pds.sessions', text), sessions)
    await page.goto(server.url)
    await page.getByRole('heading', { name: 'Home', exact: true }).waitFor()
    const took = performance.now() - begin
    megabytes = await heapMegabytes(page)
    await page.close()
    return took
  })
  await profile.close()
  return { ms, megabytes }
}

/** Heap of a page after a collection. */
export async function heapMegabytes(page: Page): Promise<number> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('HeapProfiler.collectGarbage')
  const { usedSize } = await devtools.send('Runtime.getHeapUsage')
  await devtools.detach()
  return usedSize / 1e6
}
