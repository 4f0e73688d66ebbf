/** Limits how many asynchronous tasks run at once. */
import { createFairQueue } from './fair-queue.ts'

/**
 * Runs a task as soon as the limits permit it, and returns its result.
 * @param signal ends the waiting; a task that has started goes on
 * @throws QueueFull, the reason of the signal, the error of the task
 */
export type Limit = <T>(key: string, task: () => Promise<T>, signal?: AbortSignal) => Promise<T>

export interface LimitOptions {
  readonly total: number
  readonly perKey: number
  /** Waiting tasks; without a limit by default. When there are more, the key with the most loses its newest one. */
  readonly waiting?: number
}

/** Too many tasks wait. */
export class QueueFull extends Error {
  override name = 'QueueFull'
}

interface Waiting {
  start(): void
  refuse(error: unknown): void
}

/** Creates a limit on the tasks that run at once: in all, and of one key. Waiting tasks of a key start in call order; keys take turns. */
export function createLimit({ total, perKey, waiting = Number.POSITIVE_INFINITY }: LimitOptions): Limit {
  const running = new Map<string, number>()
  const queue = createFairQueue<Waiting>(waiting)
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
    queue.shift(isFree)?.start()
  }

  async function wait(key: string, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    // At once: another task may come before the waiting one goes on.
    const place = { start: () => resolve(take(key)), refuse: reject }
    const leave = () => {
      if (queue.remove(key, place)) reject(signal?.reason)
    }
    signal?.addEventListener('abort', leave)
    queue.push(key, place)?.refuse(new QueueFull('Too many tasks wait'))
    await promise.finally(() => signal?.removeEventListener('abort', leave))
  }

  return async (key, task, signal) => {
    if (isFree(key)) take(key)
    else await wait(key, signal)
    try {
      return await task()
    } finally {
      release(key)
    }
  }
}
