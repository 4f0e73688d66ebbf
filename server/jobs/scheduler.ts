/** Runs periodic jobs in the background. */
import type { Background } from './background.ts'

export interface Job {
  /** Named in the log when a run fails. */
  readonly name: string
  /** From the start to the first run, and from one run to the next. */
  readonly firstMs: number
  readonly everyMs: number
  run(): Promise<unknown>
}

/** Starts jobs. A run is skipped while the last one of its job goes on. @returns a function that stops them */
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
    background.run(name, () =>
      run().finally(() => {
        isRunning = false
      }),
    )
  }
  const first = firstMs > 0 ? setTimeout(start, firstMs).unref() : start()
  const interval = setInterval(start, everyMs).unref()
  return () => {
    if (first) clearTimeout(first)
    clearInterval(interval)
  }
}
