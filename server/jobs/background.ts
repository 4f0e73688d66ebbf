/** Work that no answer waits for, such as sending mail: it is finished before the server closes. */
import { setImmediate } from 'node:timers/promises'
import type { Logger } from '../util/log.ts'

export interface Background {
  /**
   * Starts the work once the answer under way has left: that answer must not wait for it, or its time would tell what is
   * done here. A failure is logged under `name`, and ends there.
   */
  run(name: string, work: () => Promise<unknown>): void
  /** Resolves when nothing is running any more. */
  idle(): Promise<void>
}

export function createBackground(log: Logger): Background {
  const running = new Set<Promise<void>>()
  return {
    run(name, work) {
      const task = setImmediate()
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
