/** Requests per second at ten connections, and CPU time per request, beside a bare server that sends the same bytes. */
import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import type { BareAnswer } from './bare-server.ts'
import type { Client } from './client.ts'
import type { Measured } from './processes.ts'
import { median } from './statistics.ts'

const connections = 10
const seconds = 2
const rounds = 5

export interface Throughput {
  readonly perSecond: number
  /** Microseconds of the server's CPU. */
  readonly cpuPerRequest: number
}

export interface Compared {
  readonly ours: Throughput
  readonly bare: Throughput
  /** Share of the bare server's requests per second: the median of those of neighbouring runs. */
  readonly share: number
}

/** Runs the two in turns, so that what else the machine does meets both. */
export async function compareThroughput(
  servers: { pds: Measured; bare: Measured; client: Client },
  path: string,
  token?: string,
): Promise<Compared> {
  await servers.bare.ask(await answerOf(servers.client, path, token))
  await load(servers.pds, path, token)
  await load(servers.bare, path, token)
  const runs = []
  for (let round = 0; round < rounds; round++) {
    runs.push({ bare: await load(servers.bare, path, token), ours: await load(servers.pds, path, token) })
  }
  return {
    ours: medianOf(runs.map(({ ours }) => ours)),
    bare: medianOf(runs.map(({ bare }) => bare)),
    share: median(runs.map(({ ours, bare }) => ours.perSecond / bare.perSecond)),
  }
}

/** What the bare server has to send; Node itself adds the headers that have to do with the connection. */
async function answerOf(client: Client, path: string, token?: string): Promise<BareAnswer> {
  const { headers, text } = await client.get(path, token)
  const { date, connection, 'keep-alive': keepAlive, ...own } = headers
  return { path, headers: own, body: text }
}

/** The load comes from a process of its own. */
async function load(server: Measured, path: string, token?: string): Promise<Throughput> {
  const autocannon = createRequire(import.meta.url).resolve('autocannon')
  const header = token === undefined ? [] : ['-H', `authorization=Bearer ${token}`]
  const args = [autocannon, '--json', '-c', String(connections), '-d', String(seconds), ...header]
  const before = server.cpuMicroseconds()
  const { stdout } = await promisify(execFile)(process.execPath, [...args, server.url + path])
  const cpu = server.cpuMicroseconds() - before
  const { requests, non2xx, errors, duration } = JSON.parse(stdout)
  if (non2xx + errors > 0) throw new Error(`${non2xx + errors} of the calls of ${path} failed`)
  return { perSecond: requests.total / duration, cpuPerRequest: cpu / requests.total }
}

function medianOf(runs: readonly Throughput[]): Throughput {
  return {
    perSecond: median(runs.map(({ perSecond }) => perSecond)),
    cpuPerRequest: median(runs.map(({ cpuPerRequest }) => cpuPerRequest)),
  }
}
