/** The limit of an `LRUCache`, in entries. */

/** Returns options for a cache that grows with its entries: with `max` it takes the memory of all of them when it is created. */
export const upToEntries = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 })
