/** Makes files for a cache one at a time: a file that several readers ask for is made once. */
import { createLimit } from '../../util/limit.ts'
import type { Logger } from '../../util/log.ts'

/** @param waiting files that wait at most. @param failure the log line of a task that fails */
export function createMaking<T>({ log, waiting }: { log: Logger; waiting: number }, failure: string) {
  // One at a time, because decoding needs memory. All sources share the turn: a page shows those of many accounts.
  const limit = createLimit({ total: 1, perKey: 1, waiting })
  const making = new Map<string, Promise<T>>()
  return {
    /** Resolves with undefined if the task fails. @param signal ends the waiting; a task that has started goes on */
    async run(key: string, task: () => Promise<T>, signal?: AbortSignal): Promise<T | undefined> {
      const made = making.get(key) ?? limit('', task, signal)
      making.set(key, made)
      try {
        return await made
      } catch (err) {
        // The source is damaged, or the server is busy, out of disk space or closing.
        log.debug({ err, key }, failure)
        return undefined
      } finally {
        making.delete(key)
      }
    },
    /** Whether the file is still wanted: false after `drop`, which the deletion of its source calls. */
    has: (key: string) => making.has(key),
    drop: (key: string) => void making.delete(key),
  }
}
