/** Time and CPU of reads, with the file cache of the system and without. */
import { Client } from '../client.ts'
import type { Measured } from '../processes.ts'
import { median } from '../statistics.ts'
import { table } from '../table.ts'
import type { Both, Figure, Sides } from './compare.ts'
import { dropFileCache, MixedReads, type ReadKind, readKinds } from './mixed-reads.ts'
import type { Side } from './side.ts'

/** Reads of each kind in a round. */
const readsEach = 5
const rounds = 10

export async function reads(sides: Sides): Promise<Figure[]> {
  await using small = await Reader.start(sides.small)
  await using large = await Reader.start(sides.large)
  const readers = { small, large }
  // The first rounds warm both up, until V8 has optimized what they run.
  for (let i = 0; i < 3; i++) await measure(readers, false)
  const hot = await measure(readers, false)
  const cold = await measure(readers, true)
  table(
    'big: milliseconds of a read, mean',
    readKinds.map((kind) => ({
      '': kind,
      [`${sides.small.label} hot`]: mean(hot.small.times.get(kind) ?? []),
      [`${sides.large.label} hot`]: mean(hot.large.times.get(kind) ?? []),
      [`${sides.small.label} cold`]: mean(cold.small.times.get(kind) ?? []),
      [`${sides.large.label} cold`]: mean(cold.large.times.get(kind) ?? []),
    })),
  )
  const base = typical(hot.small)
  return [
    { title: 'mixed reads, ms', small: base, large: typical(hot.large), limit: { times: 1.3 } },
    {
      title: 'CPU of the server for one, ms',
      ...{ small: hot.small.cpu, large: hot.large.cpu },
      limit: { times: 1.3 },
    },
    {
      title: 'mixed reads without file cache, ms (limit: of hot ones at the left)',
      ...{ small: typical(cold.small), large: typical(cold.large) },
      limit: { times: 3, of: base },
    },
  ]
}

interface Costs {
  /** Milliseconds of each read. */
  readonly times: ReadonlyMap<ReadKind, number[]>
  /** Milliseconds of the server's CPU for a read. */
  readonly cpu: number
}

/** Reads in turn from both, so that other load on the machine affects both. */
async function measure({ small, large }: Both<Reader>, isCold: boolean): Promise<Both<Costs>> {
  const begin = { small: small.cpu, large: large.cpu }
  const times = { small: noTimes(), large: noTimes() }
  let wasDropped = true
  for (let round = 0; round < rounds; round++) {
    if (isCold) wasDropped = small.dropFileCache() && large.dropFileCache() && wasDropped
    await small.read(times.small)
    await large.read(times.large)
  }
  if (!wasDropped) console.log('The file cache could not be dropped: the cold reads are hot ones.')
  const count = rounds * readsEach * readKinds.length
  return {
    small: { times: times.small, cpu: (small.cpu - begin.small) / count },
    large: { times: times.large, cpu: (large.cpu - begin.large) / count },
  }
}

const noTimes = () => new Map<ReadKind, number[]>(readKinds.map((kind) => [kind, []]))

/** A server and what is read from it. */
class Reader implements AsyncDisposable {
  readonly #side: Side
  readonly #server: Measured
  readonly #client: Client
  readonly #reads: MixedReads

  private constructor(side: Side, server: Measured) {
    this.#side = side
    this.#server = server
    this.#client = new Client(server.url)
    this.#reads = new MixedReads(side)
  }

  static async start(side: Side): Promise<Reader> {
    return new Reader(side, await side.start())
  }

  /** CPU time of the server so far, in milliseconds. */
  get cpu(): number {
    return this.#server.cpuMicroseconds() / 1000
  }

  dropFileCache(): boolean {
    return dropFileCache(this.#side.data.dir)
  }

  /** One round. @param times gets the milliseconds of each read */
  async read(times: ReadonlyMap<ReadKind, number[]>): Promise<void> {
    for (const [kind, taken] of await this.#reads.run(this.#client, readsEach)) {
      times.get(kind)?.push(...taken)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client[Symbol.dispose]()
    await this.#server[Symbol.asyncDispose]()
  }
}

function mean(times: readonly number[]): number {
  return times.reduce((sum, time) => sum + time, 0) / times.length
}

/** The mean of the kinds' medians: a pause of the machine affects few reads. */
function typical({ times }: Costs): number {
  return mean(Array.from(times.values(), median))
}
