/** Two servers that are measured in turns, so that other load on the machine affects both. */
import type { Load } from './load.ts'
import type { Measured } from './processes.ts'
import { median } from './statistics.ts'
import { measureThroughput, type Throughput } from './throughput.ts'

export type Side = readonly [server: Measured, load: Load]

/**
 * Measures both in turns. A first round that does not count warms them up.
 * @returns the medians of each, and the median ratio of their CPU times
 */
export async function alternate(
  one: Side,
  other: Side,
  rounds: number,
): Promise<[one: Throughput, other: Throughput, ratio: number]> {
  const ours: Throughput[] = []
  const theirs: Throughput[] = []
  for (let round = 0; round <= rounds; round++) {
    ours.push(await measureThroughput(...one))
    theirs.push(await measureThroughput(...other))
  }
  ours.shift()
  theirs.shift()
  const ratios = ours.map((each, at) => each.cpuPerRequest / (theirs[at] as Throughput).cpuPerRequest)
  return [medians(ours), medians(theirs), median(ratios)]
}

function medians(all: readonly Throughput[]): Throughput {
  return {
    perSecond: median(all.map(({ perSecond }) => perSecond)),
    cpuPerRequest: median(all.map(({ cpuPerRequest }) => cpuPerRequest)),
  }
}
