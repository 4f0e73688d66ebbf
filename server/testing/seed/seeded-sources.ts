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
    Pick<LogicalClock, 'now' | 'begin' | 'tick' | 'advance' | 'set' | 'leap' | 'close'> {
  readonly timers: LogicalClock
  /**
   * Runs work, such as one call, with random values of its own: they follow from the seed, the kind and how many of this kind were run
   * before, so not from what other work draws at the same time.
   */
  within<T>(kind: string, work: () => T): T
  snapshot(): SourcesState
}

interface Context {
  readonly sources: SeededSources
  /** Of its random values; undefined if they are those of all other work. */
  readonly stream?: RandomStream
}

/** The work that is run. */
const context = new AsyncLocalStorage<Context>()

/**
 * Creates the sources. Two runs of the same calls get the same values if each call is made `within` its kind, or if the order in which
 * parts draw them is the same.
 * @param from the state to continue; the time of the options is ignored then
 */
export function createSeededSources(
  { seed, ...options }: SeededSourcesOptions,
  from?: SourcesState,
): SeededSources {
  const timers = createLogicalClock({ ...options, ...(from && { start: from.at }) })
  const text = String(seed)
  const rest = createRandomStream(text, 'bytes')
  const fractions = createRandomStream(text, 'fraction')
  const counts = new Map(from?.counts)
  rest.position = from?.position ?? 0
  const random: RandomSource = {
    bytes(size) {
      const current = context.getStore()
      return current?.sources === sources && current.stream ? current.stream(size) : rest(size)
    },
    fraction: () => fractionOf(fractions),
    // With a seed, a file that an earlier run left behind would have the same name.
    temporaryBytes: systemRandom.temporaryBytes,
  }
  const { now, begin, tick, advance, set, leap, close } = timers
  const sources: SeededSources = {
    timers,
    ...(seed !== undefined && { random, createSigner: createDeterministicSigner }),
    ...{ now, begin, tick, advance, set, leap, close },
    within(kind, work) {
      const count = (counts.get(kind) ?? 0) + 1
      counts.set(kind, count)
      return context.run({ sources, stream: createRandomStream(text, `${kind}:${count}`) }, work)
    },
    snapshot: () => ({ at: now(), position: rest.position, counts: new Map(counts) }),
  }
  return sources
}

/** Sources of the work that is run: those that it was begun `within`, else the present ones. */
export interface SwitchedSources extends Sources {
  readonly present: SeededSources
  /** Those of the work that is run. */
  readonly current: SeededSources
  /** Makes others the present ones. */
  use(next: SeededSources): void
  /** Runs work with the present ones, also when others are the present ones later. */
  keep<T>(work: () => T): T
}

/** Lets several sources exist at a time, such as those of a server that waits for its turn. Their seeds are the same, or all undefined. */
export function switchSources(first: SeededSources): SwitchedSources {
  let present = first
  const current = () => context.getStore()?.sources ?? present
  const { random, createSigner } = first
  return {
    timers: {
      setTimeout: (callback, ms) => current().timers.setTimeout(callback, ms),
      setInterval: (callback, ms) => current().timers.setInterval(callback, ms),
      // A timer ends itself, whatever its clock is.
      clearTimeout: first.timers.clearTimeout,
      clearInterval: first.timers.clearInterval,
      elapsed: () => current().timers.elapsed(),
      time: () => current().timers.time(),
      nextTurn: first.timers.nextTurn,
    },
    random: random && {
      bytes: (size) => (current().random ?? systemRandom).bytes(size),
      fraction: () => (current().random ?? systemRandom).fraction(),
      temporaryBytes: systemRandom.temporaryBytes,
    },
    createSigner,
    get present() {
      return present
    },
    get current() {
      return current()
    },
    use(next) {
      present = next
    },
    keep: (work) => context.run({ sources: present }, work),
  }
}
