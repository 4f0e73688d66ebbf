/** Requests per second at ten connections, and CPU time per request, beside a bare server that sends the same bytes. */
import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import type { BareAnswer } from './bare-server.ts'
import type { Client } from './client.ts'
import type { Measured } from './processes.ts'

const connections = 10
const seconds = 2
const rounds = 7

export interface Throughput {
  readonly perSecond: number
  /** Microseconds of the server's CPU. */
  readonly cpuPerRequest: number
}

export interface Compared {
  readonly ours: Throughput
  readonly bare: Throughput
}

/** Runs the two in turns, so that what else the machine does meets both. Of the pairs it is the one with the median ratio. */
export async function compareThroughput(
  servers: { pds: Measured; bare: Measured; client: Client },
  path: string,
  token?: string,
): Promise<Compared> {
  await servers.bare.ask(await answerOf(servers.client, path, token))
  await load(servers.pds, path, token)
  await load(servers.bare, path, token)
  const pairs: Compared[] = []
  for (let round = 0; round < rounds; round++) {
    pairs.push({ bare: await load(servers.bare, path, token), ours: await load(servers.pds, path, token) })
  }
  pairs.sort((a, b) => shareOf(a) - shareOf(b))
  return pairs[Math.floor(rounds / 2)] as Compared
}

/** Share of the bare server's requests per second. */
export function shareOf({ ours, bare }: Compared): number {
  return ours.perSecond / bare.perSecond
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
