import { beforeEach, describe, expect, test } from 'vitest'
import { createPlaces, type Requester } from '../../../server/util/requester.ts'
import { createSharedLookup, type SharedLookup, TooManyLookups } from '../../../server/util/shared-lookup.ts'

class NotThere extends Error {}

let now: number
let refused: number
let shared: SharedLookup<string | undefined>
/** Look-ups that have started: each ends when the test says so. */
let calls: PromiseWithResolvers<string | undefined>[]

beforeEach(() => {
  now = 0
  refused = 0
  calls = []
  shared = createSharedLookup({
    now: () => new Date(now),
    foundMs: 1_000,
    missingMs: 100,
    keepsFailure: (error) => error instanceof NotThere,
    places: { perRequester: 2, perKind: 3 },
    onRefused: () => refused++,
  })
})

function lookUp(): Promise<string | undefined> {
  const call = Promise.withResolvers<string | undefined>()
  calls.push(call)
  return call.promise
}
const get = (key: string, options?: Parameters<typeof shared.get>[2]) => shared.get(key, lookUp, options)

describe('results', () => {
  test('concurrent look-ups of a key share one call, and its result is kept', async () => {
    const both = [get('a'), get('a')]
    calls[0]?.resolve('found')
    expect(await Promise.all(both)).toEqual(['found', 'found'])
    now += 999
    expect(await get('a')).toBe('found')
    expect(shared.kept('a')).toBe('found')
    expect(calls).toHaveLength(1)
    now += 1
    void get('a')
    expect(calls).toHaveLength(2)
    expect(shared.kept('a')).toBeUndefined()
    expect(shared.kept('a', Number.POSITIVE_INFINITY)).toBe('found')
  })

  test('undefined and failures are kept for a shorter time', async () => {
    const missing = get('missing')
    const failing = get('failing')
    calls[0]?.resolve(undefined)
    calls[1]?.reject(new NotThere())
    expect(await missing).toBeUndefined()
    await expect(failing).rejects.toThrow(NotThere)
    now += 99
    expect(await get('missing')).toBeUndefined()
    await expect(get('failing')).rejects.toThrow(NotThere)
    expect(calls).toHaveLength(2)
    shared.forgetFailure('failing')
    void get('failing')
    now += 1
    void get('missing')
    expect(calls).toHaveLength(4)
  })

  test('other failures are not kept', async () => {
    const first = get('a')
    calls[0]?.reject(new Error('outage'))
    await expect(first).rejects.toThrow('outage')
    void get('a')
    expect(calls).toHaveLength(2)
  })

  test('with an age of 0 a look-up starts, and an older one that ends later does not replace its result', async () => {
    const old = get('a')
    const fresh = get('a', { maxAgeMs: 0 })
    calls[1]?.resolve('new')
    expect(await fresh).toBe('new')
    calls[0]?.resolve('old')
    expect(await old).toBe('old')
    expect(shared.kept('a')).toBe('new')
  })
})

describe('places', () => {
  const caller = (key: string): Requester => ({ kind: 'anonymous', key })

  test('a requester has few, all of a kind have more, and others are not affected', async () => {
    void get('1', { requester: caller('x') })
    void get('2', { requester: caller('x') })
    await expect(get('3', { requester: caller('x') })).rejects.toThrow(TooManyLookups)
    void get('4', { requester: caller('y') })
    await expect(get('5', { requester: caller('z') })).rejects.toThrow(TooManyLookups)
    expect(refused).toBe(2)
    void get('6', { requester: { kind: 'account', key: 'x' } })
    void get('7')
    expect(calls).toHaveLength(5)
  })

  test('the last places are for requesters, and networks, that have none', async () => {
    const places = createPlaces({ perRequester: 4, perKind: 12 })
    const take = (key: string, network: string) =>
      places.take({ kind: 'anonymous', key, network }) ? key : undefined
    const takeAll = (network: string, keys: readonly string[]) =>
      keys.flatMap((key) => Array.from({ length: 9 }, () => take(key, network) ?? [])).flat()
    expect(takeAll('a', ['a1', 'a2', 'a3'])).toEqual(['a1', 'a1', 'a1', 'a1', 'a2', 'a2'])
    expect(takeAll('b', ['b1', 'b2'])).toEqual(['b1', 'b1', 'b1'])
    expect(takeAll('c', ['c1', 'c2'])).toEqual(['c1', 'c1'])
    expect([take('d1', 'd'), take('e1', 'e')]).toEqual(['d1', undefined])
  })

  test('joining a look-up takes none, and a place is free again when its look-up ends', async () => {
    const requester = caller('x')
    const first = get('1', { requester })
    const second = get('2', { requester })
    const joined = get('1', { requester })
    calls[0]?.reject(new Error('outage'))
    await expect(first).rejects.toThrow('outage')
    await expect(joined).rejects.toThrow('outage')
    void get('3', { requester })
    expect(calls).toHaveLength(3)
    calls[1]?.resolve('found')
    expect(await second).toBe('found')
  })
})
