/** Background work that no response waits for, such as sending mail. The server closes after it has ended. */
import type { Logger } from './log.ts'
import { yieldToEventLoop } from './timers.ts'

export interface Background {
  /**
   * Starts the work after the current response was sent, so that the response time does not depend on it. A failure is
   * logged as `<name> failed`.
   */
  run(name: string, work: () => Promise<unknown>): void
  /** Resolves when all work has ended. */
  idle(): Promise<void>
}

export function createBackground(log: Logger): Background {
  const running = new Set<Promise<void>>()
  return {
    run(name, work) {
      const task = yieldToEventLoop()
        .then(work)
        .then(() => {})
        .catch((error: unknown) => log.error({ err: error }, `${name} failed`))
        .finally(() => running.delete(task))
      running.add(task)
    },
    async idle() {
      while (running.size > 0) await Promise.all(running)
    },
  }
}
