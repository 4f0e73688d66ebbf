/** The runs of a network for tests: each ends with a reset or restore, which begins the next. Calls of a run change nothing of another. */
import { NetworkRestored } from './errors.ts'
import type { SeededSources, SwitchedSources } from './seed/seeded-sources.ts'

export interface Runs {
  /** Returns the value of `networkHeader` for a request of the work that is run: it names the run to which the work belongs. */
  mark(): string
  /** Whether a request belongs to a run that has ended. Those of apps, and of other processes, belong to none. */
  isPast(mark: string | string[] | undefined): boolean
  /** Makes a function belong to the run in which it is called. Its result rejects with NetworkRestored if the run ends before it. */
  bind<Args extends unknown[], Result>(
    work: (...args: Args) => Promise<Result>,
  ): (...args: Args) => Promise<Result>
}

/** @param sources each run has its own */
export function createRuns(sources: SwitchedSources): Runs {
  const marks = new WeakMap<SeededSources, string>()
  let last = 0
  function markOf(run: SeededSources): string {
    const mark = marks.get(run) ?? `run ${++last}`
    marks.set(run, mark)
    return mark
  }
  return {
    mark: () => markOf(sources.current),
    isPast: (mark) => typeof mark === 'string' && mark.startsWith('run ') && mark !== markOf(sources.present),
    bind:
      (work) =>
      async (...args) => {
        const run = sources.present
        const [outcome] = await Promise.allSettled([sources.keep(async () => work(...args))])
        if (run !== sources.present) throw new NetworkRestored()
        if (outcome.status === 'rejected') throw outcome.reason
        return outcome.value
      },
  }
}
