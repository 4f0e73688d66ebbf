/** Reads the event stream of one upstream for as long as the server runs: connects, waits, connects again. */
import type { DidString } from '@atproto/syntax'
import type { StreamEnd } from '../../platform/network/websocket.ts'
import type { Platform } from '../../platform/platform.ts'
import { StoreUnavailable } from '../../store/files/store-errors.ts'
import { backoffMs } from '../../util/backoff.ts'
import { createDayCounter, createHourCounter } from '../../util/hour-counter.ts'
import { clearTimeout, elapsed, setTimeout, sleep } from '../../util/timers.ts'
import type { Actors } from '../actors/actors.ts'
import type { CatchUp } from '../remote/catch-up.ts'
import type { Filter } from '../remote/filter/filter.ts'
import type { Intake } from '../remote/intake.ts'
import type { Limits } from '../remote/limits/limits.ts'
import type { StatusClaims } from '../remote/status-claims.ts'
import * as upstreams from '../tables/upstreams.ts'
import { createExaminer } from './examine.ts'
import { createFrameQueue } from './retry-queue.ts'
import { createRevisions } from './revisions.ts'
import { createStoreFinding } from './store-finding.ts'
import { UpstreamStream } from './stream.ts'

/**
 * `connecting`: no connection yet. `live`: events arrive as they happen. `catchingUp`: earlier events are read. `waiting`: the
 * connection failed and is tried again. `cutOff`: the same much later, because the upstream broke the rules.
 */
export type State = 'connecting' | 'live' | 'catchingUp' | 'waiting' | 'cutOff'

export interface UpstreamState {
  readonly state: State
  readonly eventsLastHour: number
  /** Records. */
  readonly storedLastHour: number
  /** Repositories that are read to catch up; undefined if none are. */
  readonly progress: ReturnType<CatchUp['progress']>
  /** Events that were left out; undefined if none were. */
  readonly dropped: DroppedEvents | undefined
  /** Why it is not connected. */
  readonly error: string | undefined
  /** When the next connection is tried. */
  readonly retryAt: Date | undefined
}

/** Events that were left out: over a budget, found the queue full, or their author could not be looked up in time. */
export interface DroppedEvents {
  readonly lastHour: number
  readonly lastDay: number
  /** Events of the last day whose author's repository is read later. */
  readonly toFetch: number
}

export interface UpstreamReader {
  state(): UpstreamState
  /** Connects at once, and tries events that wait. */
  retry(): void
  /** Call it after a sleep of the computer: as `retry`, unless the server was cut off, whose pause goes on. */
  wake(): void
  /** Continues work that is due: timers stand still while a computer sleeps. */
  resumeDue(): void
  /** Resolves when nothing is being stored any more. */
  close(): Promise<void>
}

/** A pause between two connections. */
interface Waiting {
  readonly isCutOff: boolean
  /** In milliseconds since 1970. */
  readonly until: number
  /** Milliseconds of its timer. */
  readonly leftMs: () => number
  readonly stop: () => void
}

/** When a pause ends: by the time of day, or earlier by its timer if the clock was set back. */
function retryAt({ until, leftMs }: Waiting, now: number): Date {
  return new Date(Math.max(now, Math.min(until, now + leftMs())))
}

export interface UpstreamDeps extends Pick<Platform, 'store' | 'log' | 'now'> {
  readonly filter: Pick<Filter, 'event'>
  readonly limits: Pick<Limits, 'ofUpstream'>
  readonly intake: Pick<Intake, 'apply' | 'setStatus' | 'isOverBudget'>
  readonly actors: Pick<Actors, 'identify' | 'forget'>
  readonly statusClaims: StatusClaims
  readonly catchUp: Pick<CatchUp, 'onGap' | 'onIncomplete' | 'onUnknown' | 'onDropped' | 'progress'>
  readonly clock: { isPlausible(): boolean }
  /** Aborts requests. */
  readonly signal: AbortSignal
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute
/** Delays between connections. They begin anew after one that lasted long. */
const reconnect = { firstMs: second, longestMs: 5 * minute, jitter: [0.5, 1], healthyMs: minute } as const
const cutOff = { firstMs: hour, longestMs: 24 * hour, healthyMs: 24 * hour }
/** Milliseconds to wait for another server before an event is queued. */
const patienceMs = 2 * second

export function readUpstream(deps: UpstreamDeps, { id, url: origin }: upstreams.Upstream): UpstreamReader {
  const { store, catchUp, log, now } = deps
  const closing = new AbortController()
  const signal = AbortSignal.any([deps.signal, closing.signal])
  const events = createHourCounter(now)
  const stored = createHourCounter(now)
  const examine = createExaminer({ ...deps, origin })
  // A silent server delays only its own events.
  const examineSoon = createExaminer({ ...deps, origin, patienceMs })
  const [droppedLastHour, droppedLastDay, toFetch] = [
    createHourCounter(now),
    createDayCounter(now),
    createDayCounter(now),
  ]
  async function onDropped(did: DidString): Promise<void> {
    droppedLastHour.add()
    droppedLastDay.add()
    if (await catchUp.onDropped(did, origin)) toFetch.add()
  }
  const storeFinding = createStoreFinding({
    ...deps,
    origin,
    onStored: (count) => stored.add(count),
    onDropped,
  })
  const queue = createFrameQueue({ ...deps, id, origin, examine, storeFinding, onDropped, signal })
  const revisions = createRevisions()
  let limits = deps.limits.ofUpstream()
  let stream: UpstreamStream | undefined
  let error: string | undefined
  let waiting: Waiting | undefined
  let [failures, cutOffs] = [0, 0]
  let lastOpened: number | undefined

  async function run(): Promise<void> {
    // By a timer, because the clock of a network for tests begins when all its servers listen.
    await sleep(0, { signal, ref: false }).catch(() => {})
    while (!signal.aborted) {
      const startedAt = elapsed()
      const end = await read().catch(failed)
      if (!signal.aborted) await wait(delayAfter(end, elapsed() - startedAt), end.isViolation)
    }
  }

  async function read(): Promise<StreamEnd> {
    const { cursor, lastEventAt } = upstreams.findByUrl(store, origin) ?? {}
    stream = new UpstreamStream(
      { ...deps, id, origin, examine: examineSoon, storeFinding, queue, limits, revisions, events },
      { cursor: cursor ?? undefined, since: lastEventAt ?? lastOpened },
    )
    void stream.opened.then(onOpen)
    const end = await stream.ended
    stream = undefined
    return end
  }

  /** Its position cannot be read. The next connection is tried later; an error here would end the process. */
  function failed(cause: unknown): StreamEnd {
    if (cause instanceof StoreUnavailable) return { message: cause.message, isViolation: false }
    log.error({ err: cause, upstream: origin }, 'upstream cannot be read')
    return { message: 'This server could not read the upstream', isViolation: false }
  }

  function onOpen(): void {
    log.info({ upstream: origin }, 'upstream connected')
    error = undefined
    lastOpened = now().getTime()
    // It may be the server that could not be reached.
    queue.retry()
  }

  /** Returns the milliseconds until the next connection. */
  function delayAfter({ message, isViolation }: StreamEnd, lastedMs: number): number {
    const wasConnected = error === undefined
    error = message
    if (lastedMs > reconnect.healthyMs) failures = 0
    if (lastedMs > cutOff.healthyMs) cutOffs = 0
    if (isViolation) {
      log.warn({ upstream: origin, reason: message }, 'upstream cut off')
      limits = deps.limits.ofUpstream()
      return backoffMs(cutOff, cutOffs++)
    }
    if (wasConnected) log.warn({ upstream: origin, reason: message }, 'upstream disconnected, retrying')
    return backoffMs(reconnect, failures++)
  }

  async function wait(delayMs: number, isCutOff: boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const stop = () => resolve()
    const timer = setTimeout(stop, delayMs).unref()
    const since = elapsed()
    waiting = {
      isCutOff,
      until: now().getTime() + delayMs,
      leftMs: () => delayMs - (elapsed() - since),
      stop,
    }
    signal.addEventListener('abort', stop)
    await promise
    signal.removeEventListener('abort', stop)
    clearTimeout(timer)
    waiting = undefined
  }

  function stateNow(): State {
    if (waiting) return waiting.isCutOff ? 'cutOff' : 'waiting'
    if (!stream?.isOpen) return 'connecting'
    return stream.isReplaying || catchUp.progress(origin) ? 'catchingUp' : 'live'
  }

  signal.addEventListener('abort', () => stream?.close(), { once: true })
  const running = run()

  return {
    state: () => ({
      state: stateNow(),
      eventsLastHour: events.sum(),
      storedLastHour: stored.sum(),
      progress: catchUp.progress(origin),
      dropped:
        droppedLastDay.sum() > 0
          ? { lastHour: droppedLastHour.sum(), lastDay: droppedLastDay.sum(), toFetch: toFetch.sum() }
          : undefined,
      error,
      retryAt: waiting && retryAt(waiting, now().getTime()),
    }),
    resumeDue() {
      if (waiting && waiting.until <= now().getTime()) waiting.stop()
      queue.resumeDue()
    },
    wake() {
      failures = 0
      if (waiting && !waiting.isCutOff) waiting.stop()
      queue.retry()
    },
    retry() {
      failures = 0
      waiting?.stop()
      queue.retry()
    },
    async close() {
      closing.abort()
      await running
      await queue.close()
    },
  }
}
