/**
 * Finds the addresses of hosts. Names that other parties choose are looked up by DNS alone, which takes no thread and can be
 * cancelled. Names that the owner chose are looked up by the system, which knows more: its hosts file, `.local`, names of a VPN.
 */
import type { LookupAddress } from 'node:dns'
import { lookup, Resolver } from 'node:dns/promises'
import { pause } from '../../util/deadlines.ts'
import { createLimit } from '../../util/limit.ts'
import { createSharedLookup } from '../../util/shared-lookup.ts'
import { systemTime } from '../../util/timers.ts'

/** Finds the addresses of a host. @throws the error of the look-up, such as `ENOTFOUND`, or when the signal aborts */
export type FindAddresses = (host: string, signal?: AbortSignal) => Promise<LookupAddress[]>

let isRestricted = false
let markOfNetwork = () => 'own'

/**
 * Keeps every request of this process on this machine, for networks of tests: other hosts are refused, and no name server is asked.
 * @param mark returns the value of `networkHeader` in a request that begins
 * @returns a function that ends it
 */
export function restrictToLoopback(mark = () => 'own'): () => void {
  isRestricted = true
  markOfNetwork = mark
  return () => {
    isRestricted = false
  }
}

export function isRestrictedToLoopback(): boolean {
  return isRestricted
}

/** Marks the requests of a network for tests itself: its servers do not count them as those of an app. */
export const networkHeader = 'x-network-for-tests'

/** Headers of all requests of this process to other servers: none, except in a network for tests. */
export function headersOfNetwork(): Readonly<Record<string, string>> {
  return isRestricted ? { [networkHeader]: markOfNetwork() } : {}
}

const dnsLimits = { timeout: 2_000, tries: 2 }
/** Milliseconds to wait for addresses of the second family (RFC 8305 §3): some name servers answer only to one question. */
const otherFamilyMs = 300
/** Milliseconds after which DNS is asked for a name of the owner, too. */
const systemPatienceMs = 1_000

/**
 * Asks name servers until the signal aborts.
 * @param nameServers addresses, each with an optional port; those of the system if empty
 */
export async function queryDns<T>(
  nameServers: readonly string[],
  signal: AbortSignal | undefined,
  ask: (resolver: Resolver) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  if (isRestricted)
    throw Object.assign(new Error('This network stays on this computer'), { code: 'ENOTFOUND' })
  // A new one each time: it can be cancelled by itself, and the servers of the system change with the network.
  const resolver = new Resolver(dnsLimits)
  if (nameServers.length > 0) resolver.setServers(nameServers)
  const cancel = () => resolver.cancel()
  signal?.addEventListener('abort', cancel, { once: true })
  try {
    return await ask(resolver)
  } finally {
    signal?.removeEventListener('abort', cancel)
    resolver.cancel()
  }
}

const loopback: LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

function createFindByDns(nameServers: readonly string[]): FindAddresses {
  return async (host, signal) => {
    // These never leave the machine (RFC 6761 §6.3).
    if (/(?:^|\.)localhost\.?$/i.test(host)) return loopback
    return queryDns(nameServers, signal, async (resolver) => {
      const found: LookupAddress[] = []
      const add = (family: number) => (addresses: string[]) =>
        void found.push(...addresses.map((address) => ({ address, family })))
      const answers = [resolver.resolve4(host).then(add(4)), resolver.resolve6(host).then(add(6))]
      await Promise.any(answers).catch(({ errors }: AggregateError) => {
        throw errors[0]
      })
      await Promise.race([Promise.allSettled(answers), pause(otherFamilyMs, { ref: false })])
      return found.toSorted((one, other) => one.family - other.family)
    })
  }
}

export type LookUpBySystem = (host: string) => Promise<LookupAddress[]>

/**
 * Limits look-ups by the system. Each blocks a thread until a name server answers, for up to 30 s, and two threads do them: one host
 * has one at most, and all names that the owner did not choose have one together.
 */
function limited(lookUp: LookUpBySystem) {
  const limit = createLimit({ total: 2, perKey: 1 })
  const shared = createSharedLookup<LookupAddress[]>({ now: systemTime })
  return {
    ofOwner: (host: string) => shared.get(host, () => limit(host, () => lookUp(host))),
    ofOthers: (host: string, signal: AbortSignal | undefined) =>
      limit('', async () => {
        // The request may have ended while it waited.
        signal?.throwIfAborted()
        return lookUp(host)
      }),
  }
}

const system = limited((host) => lookup(host, { all: true }))

interface OwnerOptions {
  /** Replaces the look-up of the system. */
  readonly lookUp?: LookUpBySystem
  readonly nameServers?: readonly string[]
  readonly patienceMs?: number
}

/** Creates the look-up of names that the owner chose. While the system does not answer, DNS is asked as well. */
export function createFindForOwner(options: OwnerOptions = {}): FindAddresses {
  const { lookUp, nameServers = [], patienceMs = systemPatienceMs } = options
  const { ofOwner } = lookUp ? limited(lookUp) : system
  const findByDns = createFindByDns(nameServers)
  return async (host, signal) => {
    // The system may ask a name server, also for names that end in localhost.
    if (isRestricted) return findByDns(host, signal)
    const bySystem = ofOwner(host)
    const over = new AbortController()
    const early = pause(patienceMs, { ref: false, signal: over.signal })
    const byDns = early.then(() =>
      findByDns(host, signal ? AbortSignal.any([signal, over.signal]) : over.signal),
    )
    try {
      return await Promise.race([bySystem, byDns.catch(() => bySystem)])
    } finally {
      over.abort()
    }
  }
}

interface OthersOptions {
  readonly nameServers?: readonly string[]
  /** Asks the system for names that DNS does not have: their addresses may be private. */
  readonly allowPrivate?: boolean
  /** Replaces the look-up of the system. */
  readonly lookUp?: LookUpBySystem
}

/** Creates the look-up of names that other parties choose. */
export function createFindForOthers(options: OthersOptions = {}): FindAddresses {
  const { nameServers = [], allowPrivate = false, lookUp } = options
  const { ofOthers } = lookUp ? limited(lookUp) : system
  const findByDns = createFindByDns(nameServers)
  return (host, signal) =>
    findByDns(host, signal).catch((error: NodeJS.ErrnoException) => {
      // No name server can be reached: the system may know another way.
      if (signal?.aborted || isRestricted || (!allowPrivate && error.code !== 'ECONNREFUSED')) throw error
      return ofOthers(host, signal)
    })
}

/** Looks up names that the owner chose. */
export const findForOwner = createFindForOwner()
/** Looks up names that other parties choose, by the name servers of the system. */
export const findForOthers = createFindForOthers()
