/** Queues of asynchronous tasks that must not overlap. */

/** Runs a task after all earlier ones have ended, and returns its result. */
export type Serialize = <T>(task: () => Promise<T>) => Promise<T>

/** Creates a queue that runs one task at a time, in call order. A failed task does not stop the next ones. */
export function createSerializer(): Serialize {
  let last: Promise<unknown> = Promise.resolve()
  return (task) => {
    const result = last.then(task)
    last = result.catch(() => {})
    return result
  }
}

/** Creates one queue per key. A queue is removed when its last task has ended. */
export function createKeyedSerializer<Key>(): <T>(key: Key, task: () => Promise<T>) => Promise<T> {
  const tails = new Map<Key, Promise<unknown>>()
  return (key, task) => {
    const result = (tails.get(key) ?? Promise.resolve()).then(task)
    const tail = result
      .catch(() => {})
      .then(() => {
        if (tails.get(key) === tail) tails.delete(key)
      })
    tails.set(key, tail)
    return result
  }
}
