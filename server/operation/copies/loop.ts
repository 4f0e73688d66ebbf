/** Repeats the steps of a copier: soon after changes, after failures, and now and then. */
import type { Database } from '../../platform/store/database.ts'
import type { Copier } from './copier.ts'
import type { Proof } from './prove.ts'
import type { PlaceStatus } from './status.ts'

export interface Loop {
  readonly copier: Copier
  status(): PlaceStatus
  run(): Promise<void>
  /** Data have changed. */
  changed(): void
  /** Reads the place again, at once. */
  wake(): void
  /** Resolves when the last step has ended. */
  ended(): Promise<void>
}

export interface LoopDeps {
  readonly url: string
  readonly copier: Copier
  /** The last proof of the place. */
  readonly proof: () => Proof | undefined
  readonly store: Database
  readonly now: () => Date
  /** Called after each step. */
  readonly afterStep: () => Promise<void>
  readonly signal: AbortSignal
}

/** Milliseconds from a change to its copy: a folder is written at once, requests to other places are collected. */
const pauseMs = (url: string) => (url.startsWith('file:') ? 1000 : 15_000)
/** Without changes, places are read so often for traces of another computer. */
const idleMs = 5 * 60_000
/** After a failure, doubled each time; longer if the place asks for it. */
const retryMs = { first: 2000, last: 5 * 60_000, asked: 60 * 60_000 }

export function createLoop({ url, copier, proof, store, now, afterStep, signal }: LoopDeps): Loop {
  /** When the oldest change was made that the place does not have. */
  let pendingSince: Date | undefined
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

  async function step(): Promise<void> {
    const since = pendingSince
    pendingSince = undefined
    await copier.step()
    if (copier.state.isPaused) {
      pendingSince = since ?? pendingSince
    } else if (copier.state.problem) {
      pendingSince = since ?? pendingSince
      failures++
    } else {
      failures = 0
      // It was not on disk yet when the step began.
      if ((copier.state.seq ?? 0) < store.seq) pendingSince ??= now()
    }
    await afterStep()
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      isDue = false
      await step()
      if (copier.state.isPaused) await wait(idleMs)
      else if (failures > 0) await wait(retryDelay())
      else if (!isDue && !pendingSince) await wait(idleMs)
      if (failures === 0 && !copier.state.isPaused && pendingSince && !signal.aborted) await pause()
    }
  }

  function retryDelay(): number {
    const asked = Math.min(copier.state.problem?.retryAfterMs ?? 0, retryMs.asked)
    return Math.max(asked, Math.min(retryMs.first * 2 ** (failures - 1), retryMs.last))
  }

  /** Collects further changes. */
  async function pause(): Promise<void> {
    const until = Date.now() + pauseMs(url)
    while (Date.now() < until && !signal.aborted && !isDue) await wait(until - Date.now())
  }

  return {
    copier,
    status() {
      const { seq, copiedAt, problem, problemSince, progress, missingMedia, isPaused } = copier.state
      const since = seq === undefined || seq < store.seq ? (pendingSince ?? copiedAt) : pendingSince
      return {
        ...{
          url,
          copiedAt,
          problem: problem && { kind: problem.kind, message: problem.message, since: problemSince },
        },
        ...{ seq, progress, missingMedia, isPaused, proof: proof() },
        behindSeconds: since ? Math.max(0, Math.round((now().getTime() - since.getTime()) / 1000)) : 0,
      }
    },
    run: () => {
      running = run()
      return running
    },
    changed() {
      pendingSince ??= now()
      if (failures === 0 && !copier.state.isPaused) ring?.()
    },
    wake() {
      isDue = true
      failures = 0
      copier.forget()
      ring?.()
    },
    ended: () => running.catch(() => {}),
  }
}
