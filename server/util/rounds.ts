/** Work that concurrent callers share. */

/**
 * Returns a function that requests a round. Requests during a round share the next one.
 * @param onFault called with errors of a round, because it has no caller
 */
export function createRounds(round: () => Promise<void>, onFault: (error: unknown) => void): () => void {
  let isRequested = false
  let isRunning = false

  async function run(): Promise<void> {
    isRunning = true
    while (isRequested) {
      isRequested = false
      await round().catch(onFault)
    }
    isRunning = false
  }

  return () => {
    isRequested = true
    if (!isRunning) void run()
  }
}

/** Returns a function that starts a run. Calls during a run share its result. */
export function createSharedRun<Result>(run: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | undefined
  return () => {
    running ??= run().finally(() => {
      running = undefined
    })
    return running
  }
}
