/** Links that wait until their records are fetched. Bounded: a service may send any number of them. */
import type { Background } from '../jobs/background.ts'
import { createHourCounter } from '../util/hour-counter.ts'
import { keyOf, type Link } from './link.ts'
import type { LinkedRecords } from './linked-record.ts'

export interface LinkQueue {
  /** Queues a link, unless its record is known. Drops it if the queue is full. */
  add(link: Link): void
  /** Resolves when a catch-up may add links: most of the queue is for those of the live stream. */
  hasRoom(): Promise<void>
  /** Queues links again whose records could not be fetched, once their delay has passed. */
  retryDue(): void
  /** Whether links were dropped since the last call; false until the others are done. */
  takeOverflow(): boolean
  /** Links of the last hour: those whose record does not count, and those without room. */
  counts(): { readonly ignored: number; readonly dropped: number }
}

interface Deps {
  readonly records: LinkedRecords
  readonly background: Background
  readonly now: () => Date
  /** Stops the work. */
  readonly signal: AbortSignal
}

interface Retry {
  readonly link: Link
  /** Failed attempts. */
  readonly attempts: number
  /** Milliseconds since 1970. */
  readonly at: number
}

/** Links that wait, and likewise those that wait for another attempt. */
const maxLinks = 5000
/** Links that wait while a catch-up may add more. */
const maxCatchUpLinks = 500
/** Records that are fetched at once. */
const maxWorkers = 4
const minute = 60_000
/** Delays of further attempts. Afterwards only a catch-up finds the record again. */
const retryMs = [minute, 5 * minute, 30 * minute, 120 * minute, 360 * minute]

export function createLinkQueue({ records, background, now, signal }: Deps): LinkQueue {
  const waiting = new Map<string, Link>()
  const retries = new Map<string, Retry>()
  const ignored = createHourCounter(now)
  const dropped = createHourCounter(now)
  const awaitingRoom: (() => void)[] = []
  let workers = 0
  let hasOverflow = false

  function add(link: Link): void {
    if (waiting.size >= maxLinks && !waiting.has(keyOf(link))) {
      dropped.add()
      hasOverflow = true
      return
    }
    if (records.isKnown(link)) return
    waiting.set(keyOf(link), link)
    if (workers >= maxWorkers) return
    workers++
    background.run('fetch of linked records', work)
  }

  async function work(): Promise<void> {
    try {
      for (let link = take(); link; link = take()) await load(link)
    } finally {
      workers--
    }
  }

  /** Returns the next link; undefined if none waits, or when the server closes. */
  function take(): Link | undefined {
    const [next] = signal.aborted ? [] : waiting
    if (next) waiting.delete(next[0])
    if (waiting.size < maxCatchUpLinks || signal.aborted) {
      for (const resolve of awaitingRoom.splice(0)) resolve()
    }
    return next?.[1]
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
      if (waiting.size >= maxCatchUpLinks && !signal.aborted) {
        await new Promise<void>((resolve) => awaitingRoom.push(resolve))
      }
    },
    retryDue() {
      const at = now().getTime()
      for (const [key, retry] of retries) {
        if (records.isKnown(retry.link)) retries.delete(key)
        else if (retry.at <= at) add(retry.link)
      }
    },
    takeOverflow() {
      if (!hasOverflow || waiting.size > 0) return false
      hasOverflow = false
      return true
    },
    counts: () => ({ ignored: ignored.sum(), dropped: dropped.sum() }),
  }
}
