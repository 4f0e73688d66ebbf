/**
 * Look-ups at other servers: concurrent ones of a key share one call, results and failures are kept for a time, and each requester
 * has few places, so that none can use up the places of others.
 */
import { LRUCache } from 'lru-cache'
import { upToEntries } from './entry-limit.ts'
import { createPlaces, type PlaceLimits, type Requester } from './requester.ts'
import { isWaiting } from './wait.ts'

/** The requester has too many look-ups under way. */
export class TooManyLookups extends Error {
  override name = 'TooManyLookups'
}

interface Options {
  readonly now: () => Date
  /** Milliseconds for which a result is returned again, unless a call accepts another age; none by default. */
  readonly foundMs?: number
  /** Milliseconds for which `undefined` and failures are returned again, at most; none by default. */
  readonly missingMs?: number
  /** Results that are kept, and as many failures. Separate, because failed look-ups must not evict results. */
  readonly entries?: number
  /** Whether a failure is kept; false by default. */
  readonly keepsFailure?: (error: unknown) => boolean
  readonly places?: PlaceLimits
  /** Called when a look-up is refused because its requester has no free place. */
  readonly onRefused?: (() => void) | undefined
}

export interface LookupOptions {
  /** Undefined: a job of this server, which limits itself. */
  readonly requester?: Requester | undefined
  /** Milliseconds: the age of the oldest result that is accepted, kept or under way. 0 always starts a look-up. */
  readonly maxAgeMs?: number | undefined
}

export interface SharedLookup<Result> {
  /** Returns a kept result, or the result of a look-up. @throws TooManyLookups, the error of the look-up */
  get(key: string, lookUp: () => Promise<Result>, options?: LookupOptions): Promise<Result>
  /** Returns the kept result of a key, without a look-up. */
  kept(key: string, maxAgeMs?: number): Result | undefined
  /** Returns the look-up of a key that is under way. */
  running(key: string): Promise<Result> | undefined
  /** Forgets that a key was not found. */
  forgetFailure(key: string): void
}

interface Kept<Value> {
  readonly value: Value
  /** Milliseconds since 1970. */
  readonly at: number
}

const defaultEntries = 1_000
const defaultPlaces: PlaceLimits = { perRequester: 10, perKind: 60 }

export function createSharedLookup<Result>(options: Options): SharedLookup<Result> {
  const { foundMs = 0, missingMs = 0, entries: max = defaultEntries } = options
  const { keepsFailure = () => false, onRefused } = options
  const found = new LRUCache<string, Kept<Result>>(upToEntries(max))
  const missing = new LRUCache<string, Kept<() => Promise<Result>>>(upToEntries(max))
  const running = new Map<string, Kept<Promise<Result>>>()
  const places = createPlaces(options.places ?? defaultPlaces)
  const now = () => options.now().getTime()
  const fresh = <Value>(kept: Kept<Value> | undefined, maxAgeMs: number) =>
    kept && isWaiting(kept.at + maxAgeMs, now(), maxAgeMs) ? kept : undefined

  function start(key: string, lookUp: () => Promise<Result>, requester: Requester | undefined) {
    const release = places.take(requester)
    if (!release) {
      onRefused?.()
      throw new TooManyLookups('Too many look-ups are under way')
    }
    const call = lookUp().finally(release)
    running.set(key, { value: call, at: now() })
    /** @returns false if a later look-up of the key has begun */
    const end = () => running.get(key)?.value === call && running.delete(key)
    call.then(
      (value) => end() && keep(key, value),
      (error: unknown) => end() && keepsFailure(error) && keepFailure(key, () => Promise.reject(error)),
    )
    return call
  }

  function keep(key: string, value: Result): void {
    found.delete(key)
    missing.delete(key)
    if (value === undefined) keepFailure(key, async () => value)
    else if (foundMs > 0) found.set(key, { value, at: now() })
  }

  function keepFailure(key: string, repeat: () => Promise<Result>): void {
    if (missingMs > 0) missing.set(key, { value: repeat, at: now() })
  }

  return {
    async get(key, lookUp, { requester, maxAgeMs } = {}) {
      const result = fresh(found.get(key), maxAgeMs ?? foundMs)
      if (result) return result.value
      const failure = fresh(missing.get(key), Math.min(maxAgeMs ?? missingMs, missingMs))
      if (failure) return failure.value()
      const shared = fresh(running.get(key), maxAgeMs ?? Number.POSITIVE_INFINITY)
      return shared?.value ?? start(key, lookUp, requester)
    },
    kept: (key, maxAgeMs = foundMs) => fresh(found.get(key), maxAgeMs)?.value,
    running: (key) => running.get(key)?.value,
    forgetFailure: (key) => void missing.delete(key),
  }
}
