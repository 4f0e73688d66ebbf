/** Limits how many asynchronous tasks run at once. */

/** Runs a task as soon as the limits permit it, and returns its result. */
export type Limit = <T>(key: string, task: () => Promise<T>) => Promise<T>

/** Creates a limit on the tasks that run at once: in all, and of one key. Waiting tasks start in call order. */
export function createLimit({ total, perKey }: { readonly total: number; readonly perKey: number }): Limit {
  const running = new Map<string, number>()
  const waiting: { readonly key: string; readonly start: () => void }[] = []
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
    const next = waiting.findIndex((task) => isFree(task.key))
    if (next < 0) return
    const [task] = waiting.splice(next, 1)
    if (!task) return
    take(task.key)
    task.start()
  }

  return async (key, task) => {
    if (isFree(key)) take(key)
    else await new Promise<void>((start) => waiting.push({ key, start }))
    try {
      return await task()
    } finally {
      release(key)
    }
  }
}
