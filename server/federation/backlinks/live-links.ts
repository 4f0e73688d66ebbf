/** The live stream of links. The service is sent the DIDs of the active accounts here, and nothing else. */

import { openStream, type Stream } from '../../platform/network/websocket.ts'
import type { Database } from '../../store/database.ts'
import { activeDids } from '../../store/tables/accounts.ts'
import { backoffMs } from '../../util/backoff.ts'
import { parseJson } from '../../util/json.ts'
import type { Logger } from '../../util/log.ts'
import { clearTimeout, setTimeout, systemTime, type Timer } from '../../util/timers.ts'
import { type LiveLink, readMessage } from './link.ts'
import { isCollectionOfInterest } from './sources.ts'

export interface LiveLinks {
  /** `waiting`: for the next attempt to connect, or for an account. */
  readonly state: 'connecting' | 'live' | 'waiting'
  /** Why the last connection ended; undefined while there is one. */
  readonly error: string | undefined
  /** Ends the pause before the next connection, and begins its back-off anew. */
  wake(): void
  close(): void
}

interface Deps {
  /** Base URL of the service. */
  readonly url: string
  readonly store: Pick<Database, 'get' | 'all' | 'watch'>
  readonly userAgent: string
  readonly log: Logger
  /** Milliseconds before the first attempt to connect again. */
  readonly reconnectMs: number
  /** Milliseconds without a message or a ping after which the connection is dead. */
  readonly silenceMs: number
  /** Called when a connection is made: links sent before it are missing. */
  readonly onOpen: () => void
  /** Called with each link to an account here. */
  readonly onLink: (link: LiveLink) => void
  /** Called for each other message. */
  readonly onOther: () => void
}

/** The service accepts at most so many. */
const maxDids = 10_000
/** DIDs in the URL of a connection, whose length proxies limit. The others are sent once it is made. */
const maxDidsInUrl = 50
const longestDelayMs = 5 * 60_000
/** Not all servers come back at once after the service was down. */
const jitter = [0.75, 1.25] as const
/** Milliseconds after which a connection is healthy: delays begin anew. */
const healthyMs = 60_000
/** A link has a few hundred. */
const maxBytes = 65_536

export function openLive(deps: Deps): LiveLinks {
  const { store, log } = deps
  const service = new URL(deps.url).host
  let wanted = new Set<string>()
  let stream: Stream | undefined
  /** Milliseconds since 1970; undefined: no connection is open. */
  let openSince: number | undefined
  let timer: Timer | undefined
  let failures = 0
  let error: string | undefined

  /** Reads the accounts again if they have changed. @returns whether others are wanted now */
  function readWanted(): boolean {
    const before = wanted
    wanted = new Set(activeDids(store, maxDids))
    return wanted.size !== before.size || [...wanted].some((did) => !before.has(did))
  }

  function connect(): void {
    clearTimeout(timer)
    timer = undefined
    const dids = wanted
    stream = openStream(`${deps.url}/subscribe?${parametersFor(dids)}`, {
      // The service is a setting of the owner, and may run on this machine.
      allowPrivate: true,
      isText: true,
      headers: { 'user-agent': deps.userAgent },
      silenceMs: deps.silenceMs,
      maxBytes,
      onOpen() {
        openSince = systemTime().getTime()
        error = undefined
        if (dids !== wanted || dids.size > maxDidsInUrl) sendWanted()
        deps.onOpen()
      },
      onMessage: read,
      onEnd: ({ message }) => waitAfter(message),
    })
  }

  function read(bytes: Buffer): void {
    const link = readMessage(parseJson(bytes))
    if (link && wanted.has(link.subject) && isCollectionOfInterest(link.collection)) deps.onLink(link)
    else deps.onOther()
  }

  function sendWanted(): void {
    stream?.send(JSON.stringify({ type: 'options_update', payload: { wantedSubjectDids: [...wanted] } }))
  }

  function waitAfter(message: string): void {
    if (openSince !== undefined && systemTime().getTime() - openSince > healthyMs) failures = 0
    disconnect()
    error = message
    log.warn({ service, reason: message }, 'backlink stream ended')
    const delays = { firstMs: deps.reconnectMs, longestMs: longestDelayMs, jitter }
    timer = setTimeout(connect, backoffMs(delays, failures++)).unref()
  }

  function disconnect(): void {
    stream?.close()
    stream = undefined
    openSince = undefined
  }

  /** Stays disconnected until there is an account: an empty filter would mean the links of everyone. */
  function update(): void {
    if (!readWanted()) return
    if (wanted.size === 0) {
      disconnect()
      clearTimeout(timer)
      timer = undefined
    } else if (openSince !== undefined) sendWanted()
    else if (!stream && !timer) connect()
  }

  const unwatch = store.watch(['accounts'], update)
  update()
  return {
    get state() {
      return openSince !== undefined ? 'live' : stream ? 'connecting' : 'waiting'
    },
    get error() {
      return error
    },
    wake() {
      failures = 0
      if (timer) connect()
    },
    close() {
      unwatch()
      clearTimeout(timer)
      disconnect()
    },
  }
}

function parametersFor(dids: ReadonlySet<string>): URLSearchParams {
  const query = new URLSearchParams()
  for (const did of [...dids].slice(0, maxDidsInUrl)) query.append('wantedSubjectDids', did)
  query.set('instant', 'true')
  return query
}
