/** The sources of a network for tests: its clock and timers, and random values and signatures that follow from a seed. */
import { type RandomSource, systemRandom } from '../../util/random.ts'
import type { Sources } from '../../util/sources.ts'
import { createDeterministicSigner } from './deterministic-signer.ts'
import { createLogicalClock, type LogicalClock, type LogicalClockOptions } from './logical-clock.ts'
import { createRandomStream, fractionOf } from './random-stream.ts'

export interface SeededSourcesOptions extends LogicalClockOptions {
  /** Random values and signatures follow from it; without one they are the system's. */
  readonly seed?: string | number | undefined
}

/** For `replaceSources`. Limits of real input and output stay the system's. */
export interface SeededSources
  extends Sources,
    Pick<LogicalClock, 'now' | 'tick' | 'advance' | 'set' | 'close'> {
  readonly timers: LogicalClock
}

/**
 * Creates the sources. Two runs of the same calls get the same values if the order in which parts draw them is the same: between two
 * calls, wait until the servers are idle.
 */
export function createSeededSources({ seed, ...options }: SeededSourcesOptions): SeededSources {
  const timers = createLogicalClock(options)
  const { now, tick, advance, set, close } = timers
  const seeded = seed !== undefined && {
    random: createSeededRandom(String(seed)),
    createSigner: createDeterministicSigner,
  }
  return { timers, ...seeded, ...{ now, tick, advance, set, close } }
}

function createSeededRandom(seed: string): RandomSource {
  const bytes = createRandomStream(seed, 'bytes')
  const fractions = createRandomStream(seed, 'fraction')
  return {
    bytes,
    fraction: () => fractionOf(fractions),
    // With a seed, a file that an earlier run left behind would have the same name.
    temporaryBytes: systemRandom.temporaryBytes,
  }
}
