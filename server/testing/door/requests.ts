/** The requests that the servers of a network have received, the newest 10,000. */

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
  readonly account?: string
  readonly server?: number
  readonly status?: number
  /** Only requests after the one with this id. */
  readonly after?: number
}

export interface Requests {
  add(request: Omit<NetworkRequest, 'id'>): void
  list(filter?: RequestFilter): NetworkRequest[]
  /** Calls a function with each further request, after its answer. @returns ends it */
  observe(observer: (request: NetworkRequest) => void): () => void
  clear(): void
}

const limit = 10_000

export function createRequests(): Requests {
  let last = 0
  let entries: NetworkRequest[] = []
  const observers = new Set<(request: NetworkRequest) => void>()
  return {
    add(given) {
      const request = { ...given, id: ++last }
      entries.push(request)
      for (const observe of observers) observe(request)
      if (entries.length > limit + limit / 10) entries = entries.slice(-limit)
    },
    list({ after = 0, ...filter } = {}) {
      const wanted = Object.entries(filter).filter(([, value]) => value !== undefined)
      return entries.filter(
        (entry) =>
          entry.id > after && wanted.every(([name, value]) => entry[name as keyof NetworkRequest] === value),
      )
    },
    observe(observer) {
      observers.add(observer)
      return () => void observers.delete(observer)
    },
    clear() {
      entries = []
    },
  }
}
