/** The requests that the servers of a network have received, the newest 10,000. */
import { checkMembers, NotInNetwork } from '../errors.ts'

export interface NetworkRequest {
  /** Counts the requests of the network from 1. */
  readonly id: number
  /** Position of the server in the network. */
  readonly server: number
  /** Logical time of its arrival, ISO 8601. */
  readonly at: string
  readonly verb: string
  /** Path without the query. */
  readonly path: string
  /** Method as the client called it; undefined for other paths. */
  readonly nsid: string | undefined
  /** Query parameters of the URL. */
  readonly query: string
  /** DID of the token; undefined without one. */
  readonly account: string | undefined
  /** The JSON that the server has read, without secrets; undefined for other bodies, and if no server has read it. */
  readonly input?: unknown
  /** Name of the error. */
  readonly error?: string | undefined
  readonly status: number
  /** Milliseconds until the end of the answer, in real time. */
  readonly ms: number
  /** Whether the answer was a fault of the test. */
  readonly isFault: boolean
}

export interface RequestFilter {
  readonly nsid?: string
  /** Handle or DID of the account whose token the request has. */
  readonly account?: string
  readonly server?: number
  readonly status?: number
  /** Only requests after the one with this id. */
  readonly after?: number
}

export interface Requests {
  add(request: Omit<NetworkRequest, 'id'>): void
  /** @throws NotInNetwork for a handle that no account has, TypeError for another member */
  list(filter?: RequestFilter): NetworkRequest[]
  /** Calls a function with each further request, after its answer. @returns ends it */
  observe(observer: (request: NetworkRequest) => void): () => void
  clear(): void
}

const limit = 10_000

const filterNames: readonly (keyof RequestFilter)[] = ['nsid', 'account', 'server', 'status', 'after']

interface Deps {
  didOf(handleOrDid: string): string | undefined
}

export function createRequests({ didOf }: Deps): Requests {
  let last = 0
  let entries: NetworkRequest[] = []
  const observers = new Set<(request: NetworkRequest) => void>()
  return {
    add(given) {
      const request = { ...given, id: ++last }
      entries.push(request)
      for (const observe of observers) notify(observe, request)
      if (entries.length > limit + limit / 10) entries = entries.slice(-limit)
    },
    list(filter = {}) {
      checkMembers('a filter of requests', filter, filterNames)
      const { after = 0, account, ...others } = filter
      const wanted = Object.entries({ ...others, account: account && callerOf(account) }).filter(
        ([, value]) => value !== undefined,
      )
      return entries.filter(
        (entry) =>
          entry.id > after && wanted.every(([name, value]) => entry[name as keyof NetworkRequest] === value),
      )
    },
    observe(observer) {
      if (typeof observer !== 'function') throw new TypeError('An observer of requests must be a function.')
      observers.add(observer)
      return () => void observers.delete(observer)
    },
    clear() {
      entries = []
    },
  }

  function callerOf(account: string): string {
    // An account that was deleted has requests, too.
    const did = account.startsWith('did:') ? account : didOf(account)
    if (did === undefined) throw new NotInNetwork(`The network has no account ${account}.`)
    return did
  }
}

/** The runner of the test reports an error of its observer, and the network goes on. */
function notify(observe: (request: NetworkRequest) => void, request: NetworkRequest): void {
  try {
    observe(request)
  } catch (error) {
    void Promise.reject(error)
  }
}
