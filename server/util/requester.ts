/** The requester of work at other servers. Places for such work are limited per kind, network and requester. */

export interface Requester {
  /** Each kind has its own places, so that anonymous callers leave those of accounts and upstreams free. */
  readonly kind: 'anonymous' | 'account' | 'upstream'
  /** The source of a caller, the DID of an account, the origin of an upstream. */
  readonly key: string
  /** The network of a caller, in which one owner may have many sources. */
  readonly network?: string
}

/** Returns the requester of a call. @param account DID of the account that calls; undefined: none */
export function requesterOf(
  { source, network }: { readonly source: string; readonly network: string },
  account: string | undefined,
): Requester {
  if (account !== undefined) return { kind: 'account', key: account }
  return { kind: 'anonymous', key: source, network }
}

export interface Places {
  /**
   * Takes a place.
   * @param requester undefined: a job of this server, which limits itself
   * @returns a function that releases it; undefined if none is free
   */
  take(requester: Requester | undefined): (() => void) | undefined
}

/**
 * A network has twice as many as a requester. Each may hold at most as many places as are free, so the last ones are for networks
 * with none in use: a kind is full when about as many networks as `perKind` have work under way.
 */
export interface PlaceLimits {
  readonly perRequester: number
  readonly perKind: number
}

export function createPlaces({ perRequester, perKind }: PlaceLimits): Places {
  /** Taken places by kind, network and requester. */
  const taken = new Map<string, number>()
  const count = (name: string) => taken.get(name) ?? 0

  function add(name: string, change: number): void {
    const left = count(name) + change
    if (left > 0) taken.set(name, left)
    else taken.delete(name)
  }

  /** Returns whose places a requester takes, each with its limit; each contains the next. */
  function limitsOf({ kind, key, network }: Requester): (readonly [name: string, max: number])[] {
    const ofNetwork = [`${kind} network ${network}`, 2 * perRequester] as const
    return [
      [kind, perKind],
      ...(network === undefined ? [] : [ofNetwork]),
      [`${kind} key ${key}`, perRequester],
    ]
  }

  return {
    take(requester) {
      if (!requester) return () => {}
      const limits = limitsOf(requester)
      let free = Number.POSITIVE_INFINITY
      for (const [name, max] of limits) {
        if (count(name) >= Math.min(max, free)) return undefined
        free = Math.min(free, max - count(name))
      }
      for (const [name] of limits) add(name, 1)
      return () => {
        for (const [name] of limits) add(name, -1)
      }
    },
  }
}
