/**
 * Links that wait until their records are fetched. Bounded: a service may send any number of them. Hosts take turns, and none gets more
 * than half of the workers.
 */
import { LRUCache } from 'lru-cache'
import type { Platform } from '../../platform/platform.ts'
import { createFairQueue } from '../../util/fair-queue.ts'
import { createHourCounter } from '../../util/hour-counter.ts'
import { isWaiting } from '../../util/wait.ts'
import { keyOf, type Link } from './link.ts'
import type { LinkedRecords } from './linked-record.ts'

export interface LinkQueue {
  /** Queues a link, unless its record is known. Drops it if the queue is full. */
  add(link: Link): void
  /** Resolves when a catch-up may add links: most of the queue is reserved for the live stream. */
  hasRoom(): Promise<void>
  /** Queues links again whose records could not be fetched, once their delay has passed. */
  retryDue(): void
  /** Whether links were dropped since the last call; false until the others are done. */
  takeOverflow(): boolean
  /** Links of the last hour that were dropped: their record does not count, or the queue was full. */
  counts(): { readonly ignored: number; readonly dropped: number }
}

interface Deps extends Pick<Platform, 'background' | 'now' | 'signal'> {
  readonly records: LinkedRecords
  /** Looks up the origin of an actor's host. */
  readonly hostOf: (did: string) => Promise<string>
}

interface Retry {
  readonly link: Link
  /** Failed attempts. */
  readonly attempts: number
  /** Milliseconds since 1970. */
  readonly at: number
}

/** Links that wait; as many may wait for another attempt. */
const maxLinks = 5000
/** Links that wait while a catch-up may add more. */
const maxCatchUpLinks = 500
/** Records that are fetched at once, in all and per host. */
const [maxWorkers, maxOfHost] = [4, 2]
/** Actors whose host is known. */
const maxHosts = 5000
const minute = 60_000
/** Delays of further attempts. Afterwards only a catch-up finds the record again. */
const longestRetryMs = 360 * minute
const retryMs = [minute, 5 * minute, 30 * minute, 120 * minute, longestRetryMs]

export function createLinkQueue({ records, hostOf, background, now, signal }: Deps): LinkQueue {
  /** By host; for an unknown host, by the place where the DID is looked up. */
  const queue = createFairQueue<Link>(maxLinks)
  /** The links in the queue. */
  const waiting = new Set<string>()
  const hosts = new LRUCache<string, string>({ max: maxHosts })
  /** Links that are being fetched, by host. */
  const busy = new Map<string, number>()
  const retries = new Map<string, Retry>()
  const ignored = createHourCounter(now)
  const dropped = createHourCounter(now)
  const awaitingRoom: (() => void)[] = []
  let workers = 0
  let hasOverflow = false

  function add(link: Link): void {
    if (waiting.has(keyOf(link)) || records.isKnown(link)) return
    waiting.add(keyOf(link))
    const lost = queue.push(sourceOf(link), link)
    if (lost) {
      waiting.delete(keyOf(lost))
      dropped.add()
      hasOverflow = true
    }
    startWorker()
  }

  const sourceOf = ({ did }: Link) => hosts.get(did) ?? placeOf(did)
  const isFree = (source: string) => (busy.get(source) ?? 0) < maxOfHost

  function startWorker(): void {
    if (workers >= maxWorkers || queue.size === 0) return
    workers++
    background.run('fetch of linked records', work)
  }

  async function work(): Promise<void> {
    try {
      for (let next = take(); next; next = take()) await handle(next)
    } finally {
      workers--
    }
  }

  /** Returns the next link whose host is free; undefined if none waits, or when the server closes. */
  function take(): { readonly link: Link; readonly source: string } | undefined {
    let source = ''
    const isReady = (name: string) => {
      source = name
      return isFree(name)
    }
    const link = signal.aborted ? undefined : queue.shift(isReady)
    if (queue.size < maxCatchUpLinks || signal.aborted) {
      for (const resolve of awaitingRoom.splice(0)) resolve()
    }
    return link && { link, source }
  }

  /** Fetches the record of a link, or finds out in whose queue it belongs. */
  async function handle({ link, source }: { readonly link: Link; readonly source: string }): Promise<void> {
    busy.set(source, (busy.get(source) ?? 0) + 1)
    try {
      if (!hosts.has(link.did)) hosts.set(link.did, await hostOf(link.did).catch(() => source))
      const host = hosts.get(link.did) ?? source
      waiting.delete(keyOf(link))
      if (host === source || signal.aborted) await load(link)
      else add(link)
    } finally {
      const left = (busy.get(source) ?? 1) - 1
      if (left > 0) busy.set(source, left)
      else busy.delete(source)
      // Workers that found all hosts busy have ended.
      startWorker()
    }
  }

  async function load(link: Link): Promise<void> {
    const outcome = await records.load(link)
    if (outcome === 'ignored') ignored.add()
    if (outcome === 'retry') retryLater(link)
    else retries.delete(keyOf(link))
  }

  function retryLater(link: Link): void {
    const attempts = (retries.get(keyOf(link))?.attempts ?? 0) + 1
    const delayMs = retryMs[attempts - 1]
    retries.delete(keyOf(link))
    if (delayMs === undefined || retries.size >= maxLinks) dropped.add()
    else retries.set(keyOf(link), { link, attempts, at: now().getTime() + delayMs })
  }

  return {
    add,
    async hasRoom() {
      if (queue.size >= maxCatchUpLinks && !signal.aborted) {
        await new Promise<void>((resolve) => awaitingRoom.push(resolve))
      }
    },
    retryDue() {
      const at = now().getTime()
      for (const [key, retry] of retries) {
        if (records.isKnown(retry.link)) retries.delete(key)
        else if (!isWaiting(retry.at, at, longestRetryMs)) add(retry.link)
      }
    },
    takeOverflow() {
      if (!hasOverflow || queue.size > 0) return false
      hasOverflow = false
      return true
    },
    counts: () => ({ ignored: ignored.sum(), dropped: dropped.sum() }),
  }
}

/** Returns the place where a DID is looked up: the host of a did:web, else its method. */
function placeOf(did: string): string {
  const [, method = '', name = ''] = did.split(':')
  return method === 'web' ? `https://${decodeHost(name)}` : method
}

function decodeHost(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
