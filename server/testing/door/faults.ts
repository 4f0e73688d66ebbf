/** Answers that a test wants to happen: errors, delays, cut connections. */
import { checkMembers } from '../errors.ts'

/** Which calls fail, and how. Without `status`, `drop` and `latencyMs` a fault has no effect. */
export interface FaultOptions {
  /** Method as clients call it, such as `com.atproto.repo.createRecord`; a last `*` stands for any end. All methods by default. */
  readonly nsid?: string
  /** Handle or DID of the account whose token the call has. Any caller by default. */
  readonly account?: string
  /** Status of the answer; 400 if only `error` is given. */
  readonly status?: number
  /** Name of the error, such as `ExpiredToken`. */
  readonly error?: string
  readonly message?: string
  /** Seconds in the header `Retry-After`. */
  readonly retryAfter?: number
  /** Waits before the answer. */
  readonly latencyMs?: number
  /** Cuts the connection: before the call is made, or after it, in the middle of its answer. */
  readonly drop?: 'before' | 'after'
  /** Only each n-th call that fits, beginning with the n-th. */
  readonly every?: number
  /** Ends after this many faulty calls. */
  readonly times?: number
}

export interface Fault extends FaultOptions {
  readonly id: string
  /** Calls that failed so. */
  readonly count: number
}

export interface Faults {
  /** @returns the fault, with a function that ends it @throws TypeError or RangeError if it can have no effect */
  add(options: FaultOptions): Fault & { remove(): boolean }
  remove(id: string): boolean
  list(): Fault[]
  clear(): void
  /** Returns the first fault that concerns a call, and counts it. @param isOf whether the caller is this account */
  take(nsid: string, isOf: (account: string) => boolean): FaultOptions | undefined
}

interface Entry {
  readonly id: string
  readonly options: FaultOptions
  /** Calls that fit. */
  seen: number
  count: number
}

export function createFaults(): Faults {
  const entries = new Map<string, Entry>()
  let last = 0
  const shown = ({ id, options, count }: Entry): Fault => ({ ...options, id, count })
  return {
    add(options) {
      check(options)
      const entry = { id: String(++last), options, seen: 0, count: 0 }
      entries.set(entry.id, entry)
      return { ...shown(entry), remove: () => entries.delete(entry.id) }
    },
    remove: (id) => entries.delete(id),
    list: () => [...entries.values()].map(shown),
    clear: () => entries.clear(),
    take(nsid, isOf) {
      for (const entry of entries.values()) {
        const { nsid: pattern, account, every = 1, times = Number.POSITIVE_INFINITY } = entry.options
        if (pattern !== undefined && !fits(pattern, nsid)) continue
        if (account !== undefined && !isOf(account)) continue
        if (entry.count >= times || ++entry.seen % every !== 0) continue
        entry.count++
        return entry.options
      }
      return undefined
    },
  }
}

/** Milliseconds. Timers cannot be much longer. */
const maxLatency = 600_000

const names: readonly (keyof FaultOptions)[] = [
  ...(['nsid', 'account', 'status', 'error', 'message', 'retryAfter', 'latencyMs'] as const),
  ...(['drop', 'every', 'times'] as const),
]

/** Checks what plain JavaScript gives: a fault that has no effect hides those after it. */
function check(options: FaultOptions): void {
  checkMembers('a fault', options, names)
  const {
    status,
    error,
    drop,
    latencyMs,
    every = 1,
    times = 1,
    nsid = '*',
    retryAfter = 0,
    account = 'any',
  } = options
  if ([status, error, drop, latencyMs].every((value) => value === undefined))
    throw new TypeError('Give at least one of status, error, drop and latencyMs')
  if (drop !== undefined && drop !== 'before' && drop !== 'after')
    throw new TypeError('drop must be "before" or "after"')
  if (status !== undefined && !(Number.isInteger(status) && status >= 400 && status <= 599))
    throw new RangeError('status must be from 400 to 599')
  if (
    latencyMs !== undefined &&
    !(typeof latencyMs === 'number' && latencyMs >= 0 && latencyMs <= maxLatency)
  )
    throw new RangeError(`latencyMs must be at least 0 and at most ${maxLatency}`)
  if (typeof account !== 'string' || account === '') throw new TypeError('account must be a handle or DID')
  if (!/^[^*]*\*?$/.test(nsid)) throw new TypeError('nsid may have one * at its end, for any end')
  if (!(Number.isInteger(retryAfter) && retryAfter >= 0))
    throw new RangeError('retryAfter must be at least 0')
  for (const [name, value] of Object.entries({ every, times }))
    if (!(Number.isInteger(value) && value >= 1)) throw new RangeError(`${name} must be at least 1`)
}

function fits(pattern: string, nsid: string): boolean {
  return pattern.endsWith('*') ? nsid.startsWith(pattern.slice(0, -1)) : nsid === pattern
}
