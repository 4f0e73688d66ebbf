/** Reads lists of links from a backlink service, one request at a time and slowly: it is a public service. */
import { createClient, OutboundFailed } from '../../platform/network/client.ts'
import { pause, realElapsed } from '../../util/deadlines.ts'
import { isObject, isString, parseJson } from '../../util/json.ts'
import { retryAfter } from '../../util/retry-after.ts'
import { sleep, systemTime } from '../../util/timers.ts'
import { type Link, readRecord } from './link.ts'

export interface LinkQuery {
  /** DID or record URI. */
  readonly subject: string
  /** See `sources.ts`. */
  readonly source: string
  readonly cursor?: string | undefined
}

export interface LinkPage {
  /** The newest first. */
  readonly links: readonly Link[]
  /** Undefined on the last page. */
  readonly cursor: string | undefined
}

/** @throws OutboundFailed */
export type ReadLinks = (query: LinkQuery) => Promise<LinkPage>

interface Options {
  /** Base URL of the service. */
  readonly url: string
  readonly userAgent: string
  /** Milliseconds from the start of one request to that of the next. */
  readonly intervalMs: number
  /** Aborts requests and delays. */
  readonly signal: AbortSignal
}

const pageSize = 100
const maxBytes = 1_000_000
const timeoutMs = 30_000
/** Attempts of one request that the service refuses with 429 or 503. */
const maxAttempts = 5
/** Milliseconds before the next attempt, if the service asks for no delay. */
const defaultRetryMs = 30_000
/** A request for a longer delay counts as a failure. */
const longestRetryMs = 10 * 60_000

/** Calls must not overlap. */
export function createIndexClient({ url, userAgent, intervalMs, signal }: Options): ReadLinks {
  // The service is a setting of the owner, and may run on this machine. Hundreds of requests share a connection.
  const client = createClient({ allowPrivate: true, timeoutMs, signal })
  const request = { headers: { accept: 'application/json', 'user-agent': userAgent }, maxBytes }
  let nextAt = 0

  async function send(target: string) {
    // Real: the service has a load even while a test moves the time.
    const earlyMs = nextAt - realElapsed()
    if (earlyMs > 0) await pause(earlyMs, { signal, ref: false })
    nextAt = realElapsed() + intervalMs
    return client.request(target, request).catch((error: Error) => {
      throw new OutboundFailed(`The backlink service did not answer: ${error.message}`, { cause: error })
    })
  }

  async function read(target: string): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      const { status, headers, body } = await send(target)
      if (status === 200) return parseJson(body)
      const retryMs = retryAfter(headers['retry-after'], systemTime()) || defaultRetryMs
      const isBusy = status === 429 || status === 503
      if (!isBusy || attempt === maxAttempts || retryMs > longestRetryMs) {
        throw new OutboundFailed(`The backlink service answered ${status}`)
      }
      await sleep(retryMs, { signal, ref: false })
    }
  }

  return async ({ subject, source, cursor }) => {
    const query = new URLSearchParams({ subject, source, limit: String(pageSize) })
    if (cursor !== undefined) query.set('cursor', cursor)
    const page = await read(`${url}/xrpc/blue.microcosm.links.getBacklinks?${query}`)
    const { records, cursor: next } = isObject(page) ? page : {}
    if (!Array.isArray(records)) throw new OutboundFailed('The backlink service did not answer with links')
    const links = records.slice(0, pageSize).map(readRecord)
    return {
      links: links.filter((link) => link !== undefined),
      cursor: isString(next) && next !== '' ? next : undefined,
    }
  }
}
