/** Limits how many asynchronous tasks run at once. */
import { createFairQueue } from './fair-queue.ts'

/** Runs a task as soon as the limits permit it, and returns its result. */
export type Limit = <T>(key: string, task: () => Promise<T>) => Promise<T>

/** Creates a limit on the tasks that run at once: in all, and of one key. Waiting tasks of a key start in call order; keys take turns. */
export function createLimit({ total, perKey }: { readonly total: number; readonly perKey: number }): Limit {
  const running = new Map<string, number>()
  const waiting = createFairQueue<() => void>(Number.POSITIVE_INFINITY)
  let free = total

  const isFree = (key: string): boolean => free > 0 && (running.get(key) ?? 0) < perKey
  const take = (key: string): void => {
    free--
    running.set(key, (running.get(key) ?? 0) + 1)
  }
  const release = (key: string): void => {
    free++
    const left = (running.get(key) ?? 1) - 1
    if (left > 0) running.set(key, left)
    else running.delete(key)
    waiting.shift(isFree)?.()
  }

  return async (key, task) => {
    if (isFree(key)) {
      take(key)
    } else {
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.push(key, () => {
        // At once: another task may come before this one goes on.
        take(key)
        resolve()
      })
      await promise
    }
    try {
      return await task()
    } finally {
      release(key)
    }
  }
}
