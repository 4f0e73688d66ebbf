/** Repeats the steps of a replicator: soon after changes, after failures, and now and then. */

import { createSerializer } from '../../util/serialize.ts'
import { clearTimeout, elapsed, setTimeout } from '../../util/timers.ts'
import { createBacklog } from './backlog.ts'
import type { Proof } from './prove.ts'
import type { PlaceStatus } from './replica-status.ts'
import type { Replicator } from './replicator.ts'
import type { ReplicatorDeps } from './replicator-state.ts'

export interface Loop {
  status(): PlaceStatus
  run(): Promise<void>
  /** Data have changed. */
  changed(): void
  /** Reads the place again, at once. */
  wake(): void
  /** Copies at once everything that the place lacks. Does not throw: see the state of the replicator. */
  flush(): Promise<void>
  /** Resolves when the last step has ended, after the signal. */
  ended(): Promise<void>
}

interface Deps extends Pick<ReplicatorDeps, 'store' | 'now'> {
  readonly url: string
  readonly replicator: Replicator
  /** The last proof of the place. */
  readonly proof: () => Proof | undefined
  /** Called after each step. */
  readonly afterStep: () => Promise<void>
  readonly signal: AbortSignal
}

/** Milliseconds from a change to its copy: a folder is written at once, requests to other places are collected. */
export const pauseMs = (url: string) => (url.startsWith('file:') ? 1000 : 15_000)
/** How often places are read for traces of another computer while there are no changes. */
const idleMs = 5 * 60_000
/** After a failure, doubled each time; longer if the place asks for it. */
const retryMs = { first: 2000, last: 5 * 60_000, asked: 60 * 60_000 }

export function createLoop({ url, replicator, proof, store, now, afterStep, signal }: Deps): Loop {
  const backlog = createBacklog()
  const serialize = createSerializer()
  let failures = 0
  let isDue = true
  let ring: (() => void) | undefined
  let running: Promise<void> = Promise.resolve()

  const wait = (ms: number) =>
    new Promise<void>((resolve) => {
      if (signal.aborted) return resolve()
      const timer = setTimeout(done, ms)
      timer.unref()
      function done() {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        ring = undefined
        resolve()
      }
      ring = done
      signal.addEventListener('abort', done, { once: true })
    })

  const step = () =>
    serialize(async () => {
      await replicator.step()
      await afterStep()
    })

  const isBehind = () => store.lastSeq > (replicator.state.wholeSeq ?? -1)

  async function run(): Promise<void> {
    while (!signal.aborted) {
      isDue = false
      await step()
      const { isPaused, problem } = replicator.state
      if (!isPaused) failures = problem ? failures + 1 : 0
      if (isPaused) await wait(idleMs)
      else if (failures > 0) await wait(retryDelay())
      else if (!isDue && !isBehind()) await wait(idleMs)
      if (isReady() && isBehind() && !signal.aborted) await pause()
    }
  }

  /** Whether changes are copied soon after they were made. */
  const isReady = () => failures === 0 && !replicator.state.isPaused

  function retryDelay(): number {
    const asked = Math.min(replicator.state.problem?.retryAfterMs ?? 0, retryMs.asked)
    return Math.max(asked, Math.min(retryMs.first * 2 ** (failures - 1), retryMs.last))
  }

  /** Collects further changes. */
  async function pause(): Promise<void> {
    // Not by the time of day: a clock that is set back would stop the copy until it has caught up.
    const until = elapsed() + pauseMs(url)
    while (elapsed() < until && !signal.aborted && !isDue) await wait(until - elapsed())
  }

  /** Returns since when the place may lack changes. */
  function since(): Date | undefined {
    const { seq, wholeSeq, copiedAt } = replicator.state
    const written = backlog.since(wholeSeq ?? 0)
    // A place that was not read yet, or has lost the copy, may lack everything since its last copy.
    return seq === undefined || wholeSeq === undefined ? (copiedAt ?? written) : written
  }

  function ageOf(date: Date | undefined): number {
    return date ? Math.max(0, Math.round((now().getTime() - date.getTime()) / 1000)) : 0
  }

  return {
    status() {
      const { seq, wholeSeq, copiedAt, problemSince, ...state } = replicator.state
      const { progress, missingMedia, missingHere, lost, isPaused } = state
      const problem = state.problem ?? state.baseProblem
      return {
        ...{ url, seq, copiedAt, progress, missingMedia, missingHere, isPaused, proof: proof() },
        problem: problem && {
          kind: problem.kind,
          message: problem.message,
          since: problem.since ?? problemSince,
        },
        behind: store.seq - (seq ?? 0),
        behindSeconds: wholeSeq !== undefined && wholeSeq >= store.seq ? 0 : ageOf(since()),
        lost: lost && { changes: lost.changes, until: lost.until },
      }
    },
    run: () => {
      running = run()
      return running
    },
    changed() {
      backlog.add(store.lastSeq, now())
      if (isReady()) ring?.()
    },
    wake() {
      isDue = true
      failures = 0
      replicator.forget()
      ring?.()
    },
    async flush() {
      if (isDue || replicator.state.problem || isBehind()) await step()
    },
    async ended() {
      await running.catch(() => {})
      // A flush whose time was over.
      await serialize(async () => {})
    },
  }
}
