import { LRUCache } from 'lru-cache'
import { expect, test } from 'vitest'
import { upToEntries } from '../../../server/util/entry-limit.ts'

test('a cache has at most so many entries, and evicts the one that was least recently used', () => {
  const cache = new LRUCache<string, number>(upToEntries(2))
  cache.set('a', 1)
  cache.set('b', 2)
  cache.get('a')
  cache.set('c', 3)
  expect([...cache.keys()].sort()).toEqual(['a', 'c'])
})
