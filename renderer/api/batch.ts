interface Waiting<T> {
  readonly resolve: (value: T | null) => void
  readonly reject: (reason: unknown) => void
}

/** A batch per account, so that the rows of a list share calls. @param load returns the existing values, by key */
export function createBatches<T>(
  limit: number,
  load: (did: string, keys: readonly string[]) => Promise<ReadonlyMap<string, T>>,
): (did: string, key: string) => Promise<T | null> {
  const batches = new Map<string, ReturnType<typeof createBatch<T>>>()
  return (did, key) => {
    const batch = batches.get(did) ?? createBatch(limit, (keys) => load(did, keys))
    batches.set(did, batch)
    return batch(key)
  }
}

/**
 * Collects the keys that are asked for at one moment, and loads them in calls of up to `limit`.
 * @param load returns the existing values, by key
 * @returns loads one value; null if it does not exist
 */
function createBatch<T>(
  limit: number,
  load: (keys: readonly string[]) => Promise<ReadonlyMap<string, T>>,
): (key: string) => Promise<T | null> {
  const queue = new Map<string, Waiting<T>[]>()

  async function run(batch: readonly (readonly [string, readonly Waiting<T>[]])[]): Promise<void> {
    try {
      const found = await load(batch.map(([key]) => key))
      for (const [key, waiting] of batch) for (const one of waiting) one.resolve(found.get(key) ?? null)
    } catch (error) {
      for (const one of batch.flatMap(([, waiting]) => waiting)) one.reject(error)
    }
  }

  function flush(): void {
    const all = [...queue]
    queue.clear()
    for (let start = 0; start < all.length; start += limit) void run(all.slice(start, start + limit))
  }

  return (key) =>
    new Promise((resolve, reject) => {
      if (queue.size === 0) setTimeout(flush)
      const waiting = queue.get(key) ?? []
      queue.set(key, [...waiting, { resolve, reject }])
    })
}
