/** Ends a measurement early: at Ctrl-C, when the process is asked to end, and when its output is read no longer. */

export interface Interruption {
  readonly signal: AbortSignal
  /** Stops listening. */
  end(): void
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** @param warn prints a line */
export function watchInterruption(warn: (text: string) => void): Interruption {
  const controller = new AbortController()
  const interrupt = () => {
    // The next signal ends the process.
    end()
    warn('Interrupted: deleting what was written. Press Ctrl-C again to end at once.')
    controller.abort()
  }
  const end = () => {
    for (const name of signals) process.removeListener(name, interrupt)
  }
  for (const name of signals) process.on(name, interrupt)
  // Each further write emits an error, too: this listener stays.
  process.stdout.on('error', () => controller.abort())
  return { signal: controller.signal, end }
}
