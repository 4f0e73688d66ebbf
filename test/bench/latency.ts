/** Latency of calls on an idle server, beside the disk's latency for a write of that size. */
import { median, quantile } from './statistics.ts'

export interface Latency {
  /** Milliseconds. */
  readonly median: number
  readonly p99: number
}

export interface Operation {
  readonly name: string
  /** Number of calls in all rounds. */
  readonly times: number
  run(round: number): Promise<unknown>
}

const rounds = 20

/** Interleaves the operations in rounds, so that other load on the machine affects all of them. */
export async function measureLatencies(operations: readonly Operation[]): Promise<Map<string, Latency>> {
  const times = new Map(operations.map(({ name }) => [name, [] as number[]]))
  for (let round = 0; round < rounds; round++) {
    for (const operation of operations) {
      for (let i = 0; i < operation.times / rounds; i++) {
        times.get(operation.name)?.push(await timed(() => operation.run(round)))
      }
    }
  }
  return new Map(Array.from(times, ([name, taken]) => [name, summary(taken.slice(taken.length / 10))]))
}

export function summary(times: readonly number[]): Latency {
  return { median: median(times), p99: quantile(times, 0.99) }
}

/** In milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** Compares with the first two operations, which are the baselines. */
export function latencyRow(name: string, { median, p99 }: Latency, all: ReadonlyMap<string, Latency>) {
  const [disk, bare] = [...all.values()]
  return {
    '': name,
    'median ms': median,
    'p99 ms': p99,
    '× disk': median / (disk?.median ?? Number.NaN),
    '× bare HTTP': median / (bare?.median ?? Number.NaN),
  }
}
