/** Start time, and event-loop delay during checkpoints. */
import { setTimeout } from 'node:timers/promises'
import { measureCheckpoint } from './checkpoint.ts'
import { Client } from './client.ts'
import { folder } from './folders.ts'
import { Measured } from './processes.ts'
import { seed } from './seed.ts'
import { median } from './statistics.ts'
import { table } from './table.ts'

export async function benchStart(): Promise<void> {
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
    { ...startRow('first start, creates the store', first), reference: '3,000 ms, 292 MB' },
    { ...startRow('empty store', again), reference: '3,000 ms, 292 MB' },
    startRow('100,000 rows', large),
  ])
  const { quiet, checkpointing } = await measureCheckpoint(full)
  table('delay of the event loop, with 100,000 rows', [
    { '': 'while writing', 'p99 ms': quiet.p99, 'longest ms': quiet.longest },
    { '': 'during a checkpoint', 'p99 ms': checkpointing.p99, 'longest ms': checkpointing.longest },
  ])
}

export interface Start {
  readonly ms: number
  readonly megabytes: number
}

/** From the start of the process to its first answer; its memory a second later. */
export async function start(dir: string): Promise<Start> {
  const begin = performance.now()
  await using server = await Measured.pds(dir)
  using client = new Client(server.url)
  await client.get('/xrpc/com.core.server.describeServer')
  const ms = performance.now() - begin
  await setTimeout(1000)
  return { ms, megabytes: server.residentMegabytes() }
}

export function startRow(name: string, starts: readonly Start[]) {
  return {
    '': name,
    'median ms': Math.round(median(starts.map(({ ms }) => ms))),
    'idle MB': Math.round(median(starts.map(({ megabytes }) => megabytes))),
  }
}
