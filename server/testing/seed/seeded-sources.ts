/** The sources of a network for tests: its clock and timers, and random values and signatures that follow from a seed. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { type RandomSource, systemRandom } from '../../util/random.ts'
import type { Sources } from '../../util/sources.ts'
import { createDeterministicSigner } from './deterministic-signer.ts'
import { createLogicalClock, type LogicalClock, type LogicalClockOptions } from './logical-clock.ts'
import { createRandomStream, fractionOf, type RandomStream } from './random-stream.ts'

export interface SeededSourcesOptions extends LogicalClockOptions {
  /** Random values and signatures follow from it; without one they are the system's. */
  readonly seed?: string | number | undefined
}

/** The time of the clock, and how much of the random values was used. */
export interface SourcesState {
  readonly at: Date
  readonly position: number
  readonly counts: ReadonlyMap<string, number>
}

/** For `replaceSources`. Limits of real input and output stay the system's. */
export interface SeededSources
  extends Sources,
    Pick<LogicalClock, 'now' | 'tick' | 'advance' | 'set' | 'close'> {
  readonly timers: LogicalClock
  /**
   * Runs work, such as one call, with random values of its own: they follow from the seed, the kind and how many of this kind were run
   * before, so not from what other work draws at the same time.
   */
  within<T>(kind: string, work: () => T): T
  snapshot(): SourcesState
  /** Continues at a snapshot. Nothing falls due by it. */
  restore(state: SourcesState): void
}

/**
 * Creates the sources. Two runs of the same calls get the same values if each call is made `within` its kind, or if the order in which
 * parts draw them is the same.
 */
export function createSeededSources({ seed, ...options }: SeededSourcesOptions): SeededSources {
  const timers = createLogicalClock(options)
  const { now, tick, advance, set, close } = timers
  const streams = createStreams(seed === undefined ? undefined : String(seed))
  return {
    timers,
    ...(streams.random && { random: streams.random, createSigner: createDeterministicSigner }),
    ...{ now, tick, advance, set, close, within: streams.within },
    snapshot: () => ({ at: now(), ...streams.snapshot() }),
    restore(state) {
      timers.leap(state.at)
      streams.restore(state)
    },
  }
}

function createStreams(seed: string | undefined) {
  const current = new AsyncLocalStorage<RandomStream>()
  const rest = createRandomStream(seed ?? '', 'bytes')
  const fractions = createRandomStream(seed ?? '', 'fraction')
  let counts = new Map<string, number>()
  const random: RandomSource = {
    bytes: (size) => (current.getStore() ?? rest)(size),
    fraction: () => fractionOf(fractions),
    // With a seed, a file that an earlier run left behind would have the same name.
    temporaryBytes: systemRandom.temporaryBytes,
  }
  return {
    random: seed === undefined ? undefined : random,
    within<T>(kind: string, work: () => T): T {
      if (seed === undefined) return work()
      const count = (counts.get(kind) ?? 0) + 1
      counts.set(kind, count)
      return current.run(createRandomStream(seed, `${kind}:${count}`), work)
    },
    snapshot: () => ({ position: rest.position, counts: new Map(counts) }),
    restore(state: Pick<SourcesState, 'position' | 'counts'>) {
      rest.position = state.position
      counts = new Map(state.counts)
    },
  }
}
