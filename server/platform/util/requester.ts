/** The requester of work at other servers. Places for such work are limited per requester and per kind. */

export interface Requester {
  /** Kinds do not share places: anonymous callers cannot use up the places of accounts and upstreams. */
  readonly kind: 'anonymous' | 'account' | 'upstream'
  /** The source of a caller, the DID of an account, the origin of an upstream. */
  readonly key: string
}

/** Returns the requester of a call. @param account DID of the account that calls; undefined: none */
export function requesterOf(source: string, account: string | undefined): Requester {
  return account === undefined ? { kind: 'anonymous', key: source } : { kind: 'account', key: account }
}

export interface Places {
  /**
   * Takes a place.
   * @param requester undefined: a job of this server, which limits itself
   * @returns a function that releases it; undefined if none is free
   */
  take(requester: Requester | undefined): (() => void) | undefined
}

export interface PlaceLimits {
  readonly perRequester: number
  readonly perKind: number
}

export function createPlaces({ perRequester, perKind }: PlaceLimits): Places {
  /** Taken places by requester, and by kind. */
  const taken = new Map<string, number>()
  const count = (key: string) => taken.get(key) ?? 0

  function add(key: string, change: number): void {
    const left = count(key) + change
    if (left > 0) taken.set(key, left)
    else taken.delete(key)
  }

  return {
    take(requester) {
      if (!requester) return () => {}
      const { kind, key } = requester
      const own = `${kind} ${key}`
      if (count(kind) >= perKind || count(own) >= perRequester) return undefined
      add(kind, 1)
      add(own, 1)
      return () => {
        add(kind, -1)
        add(own, -1)
      }
    },
  }
}
