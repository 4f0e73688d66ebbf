/** Runs periodic jobs in the background. */
import type { Background } from '../../util/background.ts'
import { clearInterval, clearTimeout, setInterval, setTimeout } from '../../util/timers.ts'

export interface Job {
  /** Named in the log when a run fails. */
  readonly name: string
  /** Delay of the first run; undefined runs at once, without a timer. */
  readonly firstMs?: number | undefined
  /** Milliseconds from the start of one run to the start of the next. */
  readonly everyMs: number
  /** May return a promise. */
  run(): unknown
}

/** Starts jobs. A run is skipped while the previous one of its job has not ended. @returns a function that stops them */
export function startJobs(jobs: readonly Job[], background: Background): () => void {
  const stops = jobs.map((job) => startJob(job, background))
  return () => {
    for (const stop of stops) stop()
  }
}

function startJob({ name, firstMs, everyMs, run }: Job, background: Background): () => void {
  let isRunning = false
  const start = () => {
    if (isRunning) return
    isRunning = true
    background.run(name, async () => {
      try {
        await run()
      } finally {
        isRunning = false
      }
    })
  }
  const first = firstMs === undefined ? start() : setTimeout(start, firstMs).unref()
  const interval = setInterval(start, everyMs).unref()
  return () => {
    if (first) clearTimeout(first)
    clearInterval(interval)
  }
}
