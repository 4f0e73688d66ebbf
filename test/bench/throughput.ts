/** Requests per second at ten connections, and CPU time per request, beside a bare server that sends the same bytes. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { BareAnswer } from './bare-server.ts'
import type { Client } from './client.ts'
import type { Load } from './load.ts'
import type { Measured } from './processes.ts'

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

/** Interleaves the two, so that other load on the machine affects both. @returns the pair with the median ratio */
export async function compareThroughput(
  servers: { pds: Measured; bare: Measured; client: Client },
  load: Load,
): Promise<Compared> {
  await servers.bare.ask(await answerOf(servers.client, load))
  await measureThroughput(servers.pds, load)
  await measureThroughput(servers.bare, load)
  const pairs: Compared[] = []
  for (let round = 0; round < rounds; round++) {
    pairs.push({
      bare: await measureThroughput(servers.bare, load),
      ours: await measureThroughput(servers.pds, load),
    })
  }
  pairs.sort((a, b) => shareOf(a) - shareOf(b))
  return pairs[Math.floor(rounds / 2)] as Compared
}

/** Share of the bare server's requests per second. */
function shareOf({ ours, bare }: Compared): number {
  return ours.perSecond / bare.perSecond
}

export function throughputRow(name: string, compared: Compared) {
  const { ours, bare } = compared
  return {
    '': name,
    'per second': Math.round(ours.perSecond),
    'bare per second': Math.round(bare.perSecond),
    share: shareOf(compared),
    'CPU µs': Math.round(ours.cpuPerRequest),
    'bare CPU µs': Math.round(bare.cpuPerRequest),
  }
}

/** The response that the bare server sends. Node adds the headers of the connection itself. */
export async function answerOf(client: Client, { path, calls: [call] }: Load): Promise<BareAnswer> {
  const { headers, text } =
    call?.input === undefined
      ? await client.get(path, call?.token)
      : await client.post(path, call.input, call.token)
  const { date, connection, 'keep-alive': keepAlive, ...own } = headers
  return { path, headers: own, body: text }
}

/** Runs the load in its own process. */
export async function measureThroughput(server: Measured, { path, ...load }: Load): Promise<Throughput> {
  const args = [join(import.meta.dirname, 'load.ts'), JSON.stringify({ url: server.url + path, ...load })]
  const before = server.cpuMicroseconds()
  const { stdout } = await promisify(execFile)(process.execPath, args)
  const cpu = server.cpuMicroseconds() - before
  const { requests, non2xx, errors, duration } = JSON.parse(stdout)
  if (non2xx + errors > 0) throw new Error(`${non2xx + errors} of the calls of ${path} failed`)
  return { perSecond: requests.total / duration, cpuPerRequest: cpu / requests.total }
}
