/**
 * Asks relays to read the event stream of this server: at the start, and after writes. Only servers
 * with a public address do.
 */
import type { Config } from '../../platform/config/config.ts'
import { guardedFetch, OutboundFailed } from '../../platform/network/client.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Database } from '../../store/database.ts'
import { backoffMs } from '../../util/backoff.ts'
import { isWaiting } from '../../util/wait.ts'
import * as events from '../tables/events.ts'

export interface RelayState {
  /** Origin of the relay. */
  readonly url: string
  /** When it last accepted a request, since the start of the server. */
  readonly lastContact: Date | undefined
  /** Why the last request failed; undefined if it did not. */
  readonly lastError: string | undefined
}

export interface Relays {
  /** The relays of the settings. */
  state(): RelayState[]
  /** Asks the relays that are due; failures are logged and retried with growing delays. */
  askDue(): Promise<void>
  /** Asks all relays at once, whether or not they are due. */
  askNow(): Promise<void>
}

interface Deps extends Pick<Platform, 'background' | 'log' | 'now' | 'signal'> {
  readonly config: Pick<Config, 'publicUrl' | 'relays'>
  readonly store: Pick<Database, 'get' | 'all' | 'watch'>
}

interface Relay {
  readonly url: string
  lastContact: Date | undefined
  lastError: string | undefined
  /** Number of the last event when it was asked; undefined if that failed, or before the first request. */
  lastSeq: number | undefined
  /** Consecutive failures. */
  failures: number
  /** In milliseconds since 1970: not due before. */
  notBefore: number
}

/** The first is also the delay after a success. */
const delays = { firstMs: 20 * 60_000, longestMs: 6 * 60 * 60_000 }

export function createRelays(deps: Deps): Relays {
  const { config, store, background, now } = deps
  const relays = config.relays.map(newRelay)
  const host = config.publicUrl === undefined ? undefined : new URL(config.publicUrl).host

  async function ask(some: readonly Relay[]): Promise<void> {
    if (host !== undefined) await Promise.all(some.map((relay) => askRelay(deps, relay, host)))
  }

  /** Returns the relays that are due, once: they are not due again before the interval has passed. */
  function takeDue(): Relay[] {
    const at = now().getTime()
    const waiting = relays.filter((relay) => !isWaiting(relay.notBefore, at, delays.longestMs))
    if (waiting.length === 0) return []
    const { lastSeq } = events.state(store)
    const due = waiting.filter((relay) => relay.lastSeq !== lastSeq)
    for (const relay of due) relay.notBefore = at + delays.firstMs
    return due
  }

  if (host !== undefined && relays.length > 0) {
    store.watch(['event_state'], () => {
      const due = takeDue()
      if (due.length > 0) background.run('crawl request', () => ask(due))
    })
  }

  return {
    state: () => relays.map(({ url, lastContact, lastError }) => ({ url, lastContact, lastError })),
    askDue: () => ask(takeDue()),
    askNow: () => ask(relays),
  }
}

function newRelay(url: string): Relay {
  return { url, lastContact: undefined, lastError: undefined, lastSeq: undefined, failures: 0, notBefore: 0 }
}

/** Sends a request and keeps its outcome. */
async function askRelay({ store, now, log, signal }: Deps, relay: Relay, host: string): Promise<void> {
  const { lastSeq } = events.state(store)
  const sentAt = now()
  try {
    await requestCrawl(relay.url, host, signal)
    Object.assign(relay, { lastContact: sentAt, lastError: undefined, lastSeq, failures: 0 })
  } catch (error) {
    if (signal.aborted) return
    relay.lastError = (error as Error).message
    relay.lastSeq = undefined
    log.warn({ err: error, relay: relay.url }, 'crawl request failed')
    relay.failures++
  }
  relay.notBefore = sentAt.getTime() + backoffMs(delays, Math.max(relay.failures - 1, 0))
}

/** @param host host name of this server @throws OutboundFailed */
async function requestCrawl(relay: string, host: string, signal: AbortSignal): Promise<void> {
  const { status, body } = await guardedFetch(`${relay}/xrpc/com.atproto.sync.requestCrawl`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ hostname: host }),
    // Relays are a setting of the owner, and may run on this machine.
    allowPrivate: true,
    signal,
  })
  if (status < 200 || status >= 300) {
    throw new OutboundFailed(`${relay} answered ${status}: ${body.toString().slice(0, 200)}`)
  }
}
