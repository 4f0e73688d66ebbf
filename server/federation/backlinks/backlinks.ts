/**
 * Learns of activity about accounts here from public services that index the links of a network: new links over a live stream, missed
 * ones from lists. Read this first. Services only say where to look: see `linked-record.ts`.
 *
 * New links come from `live-links.ts`, missed ones from `link-catch-up.ts`.
 */
import type { Config } from '../../platform/config/config.ts'
import { homepage, name, version } from '../../platform/config/version.ts'
import type { Platform } from '../../platform/platform.ts'
import { createHourCounter } from '../../util/hour-counter.ts'
import type { Filter } from '../remote/filter/filter.ts'
import type { Identify } from '../remote/repository-origin.ts'
import { createIndexClient } from './index-client.ts'
import type { LiveLink } from './link.ts'
import { createCatchUp } from './link-catch-up.ts'
import { createLinkQueue } from './link-queue.ts'
import { createLinkedRecords, type LinkedRecordDeps } from './linked-record.ts'
import { type LiveLinks, openLive } from './live-links.ts'

export interface BacklinkState {
  readonly streamUrl: string | undefined
  readonly indexUrl: string | undefined
  /** `idle`: neither a stream nor a catch-up is running. */
  readonly state: LiveLinks['state'] | 'catchingUp' | 'idle'
  readonly lastLinkAt: Date | undefined
  readonly lastCatchUpAt: Date | undefined
  /** Links to accounts here within the last hour. */
  readonly linksLastHour: number
  /** Messages and links of the last hour that lead to nothing about an account here. */
  readonly ignoredLastHour: number
  /** Links of the last hour that found the queue full. */
  readonly droppedLastHour: number
  readonly error: string | undefined
}

export interface Backlinks {
  state(): BacklinkState
  /** Connects to the live stream. */
  start(): void
  /** Runs due catch-ups, and retries records whose hosts did not answer. */
  runDue(): Promise<void>
  /** Connects at once after a sleep of the computer. Back-off begins anew. */
  wake(): void
  close(): void
}

interface Deps
  extends Omit<LinkedRecordDeps, 'store'>,
    Pick<Platform, 'store' | 'background' | 'log' | 'now' | 'signal'> {
  readonly config: Pick<Config, 'backlinkStreamUrl' | 'backlinkIndexUrl' | 'contactEmail'>
  readonly filter: Pick<Filter, 'isLocal'>
  readonly actors: { readonly identify: Identify }
  /** Replaces delays in milliseconds; tests use lower ones. */
  readonly delays?: Partial<BacklinkDelays> | undefined
}

export interface BacklinkDelays {
  /** Milliseconds from one request for a list to the next. */
  readonly intervalMs: number
  /** Before the first attempt to connect again. */
  readonly reconnectMs: number
  /** Milliseconds since the last message or ping of the live stream after which its connection counts as dead. */
  readonly silenceMs: number
}

/** The service pings every 30 seconds. */
const defaultDelays: BacklinkDelays = { intervalMs: 200, reconnectMs: 1000, silenceMs: 90_000 }

/** Call it only if the settings name a service. */
export function createBacklinks(deps: Deps): Backlinks {
  const { config, store, filter, background, log, now, signal } = deps
  const { backlinkStreamUrl: streamUrl, backlinkIndexUrl: indexUrl } = config
  const { intervalMs, reconnectMs, silenceMs } = { ...defaultDelays, ...deps.delays }
  const userAgent = `${name}/${version} (${config.contactEmail ?? homepage})`
  const records = createLinkedRecords(deps)
  const links = createHourCounter(now)
  const others = createHourCounter(now)
  let lastLinkAt: Date | undefined
  const queue = createLinkQueue({
    ...{ records, background, now, signal },
    hostOf: async (did) => (await deps.actors.identify(did)).host,
  })
  const catchUp =
    indexUrl === undefined
      ? undefined
      : createCatchUp({
          ...{ store, queue, log, now, signal },
          readLinks: createIndexClient({ url: indexUrl, userAgent, intervalMs, signal }),
          isLocal: filter.isLocal,
          isKnown: records.isKnown,
        })
  let live: LiveLinks | undefined

  function onLink(link: LiveLink): void {
    if (filter.isLocal(link.did)) return
    links.add()
    lastLinkAt = now()
    queue.add(link)
  }

  async function runDue(): Promise<void> {
    queue.retryDue()
    if (queue.takeOverflow()) catchUp?.request()
    // A first connection makes all accounts due: earlier catch-ups would be repeated.
    const isStarting = live?.state === 'connecting' && live.error === undefined
    if (!isStarting) await catchUp?.runDue()
  }

  return {
    start() {
      if (streamUrl === undefined) return
      live = openLive({
        ...{ url: streamUrl, store, userAgent, log, reconnectMs, silenceMs, onLink },
        onOther: () => others.add(),
        onOpen() {
          catchUp?.request()
          background.run('catch-up of backlinks', runDue)
        },
      })
    },
    runDue,
    wake: () => live?.wake(),
    close: () => live?.close(),
    state() {
      const { ignored, dropped } = queue.counts()
      const isCatchingUp = catchUp?.isRunning && (!live || live.state === 'live')
      return {
        streamUrl,
        indexUrl,
        state: isCatchingUp ? 'catchingUp' : (live?.state ?? 'idle'),
        lastLinkAt,
        lastCatchUpAt: catchUp?.lastAt,
        linksLastHour: links.sum(),
        ignoredLastHour: ignored + others.sum(),
        droppedLastHour: dropped,
        error: live?.error ?? catchUp?.error,
      }
    },
  }
}
