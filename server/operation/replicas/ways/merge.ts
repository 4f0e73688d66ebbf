/** Merges lists that are made only when one of their items can be the next. */

export interface Source<Key, Item extends Key> {
  /** Comes before all items, or is equal to the first one. */
  readonly bound: Key
  /** Returns its items in order. */
  load(): readonly Item[]
}

interface Entry<Key, Item extends Key> {
  readonly rank: number
  readonly source: Source<Key, Item>
  key: Key
  /** Undefined before they are needed. */
  items?: readonly Item[]
  next: number
}

/** Yields the items of all sources in order, equal ones in the order of the sources. */
export function* merge<Key, Item extends Key>(
  sources: readonly Source<Key, Item>[],
  compare: (a: Key, b: Key) => number,
): Generator<Item> {
  const isBefore = (a: Entry<Key, Item>, b: Entry<Key, Item>) =>
    (compare(a.key, b.key) || a.rank - b.rank) < 0
  const heap = sources
    .map((source, rank): Entry<Key, Item> => ({ rank, source, key: source.bound, next: 0 }))
    .sort((a, b) => compare(a.key, b.key) || a.rank - b.rank)

  /** Moves the first entry, whose key has grown, to where it belongs. */
  function sink(): void {
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2]
      let first = at
      for (const child of [left, right]) {
        const [a, b] = [heap[child], heap[first]]
        if (a && b && isBefore(a, b)) first = child
      }
      const [entry, child] = [heap[at], heap[first]]
      if (first === at || !entry || !child) return
      heap[at] = child
      heap[first] = entry
      at = first
    }
  }

  for (let entry = heap[0]; entry; entry = heap[0]) {
    if (entry.items) {
      const item = entry.items[entry.next++]
      if (item !== undefined) yield item
    } else entry.items = entry.source.load()
    const key = entry.items[entry.next]
    if (key !== undefined) entry.key = key
    else {
      const last = heap.pop()
      if (last && last !== entry) heap[0] = last
    }
    sink()
  }
}
