/** One connection to an upstream: reads its stream from a position until either side ends it. */
import { openStream } from '../../platform/network/websocket.ts'
import type { Database } from '../../platform/store/database.ts'
import { StoreFull, StoreUnavailable } from '../../platform/store/errors.ts'
import * as upstreams from '../../platform/store/tables/upstreams.ts'
import type { HourCounter } from '../../platform/util/hour-counter.ts'
import type { Logger } from '../../platform/util/log.ts'
import type { Interest } from '../remote/interest.ts'
import type { Examine } from './examine.ts'
import { type Frame, InvalidFrame, readFrame } from './frames.ts'
import { createPipeline } from './pipeline.ts'
import type { FrameQueue } from './queue.ts'
import { concernOf } from './relevant.ts'
import type { Revisions } from './revisions.ts'
import type { StoreFinding } from './store-finding.ts'
import type { Trust } from './trust.ts'

export interface SessionEnd {
  /** Why, for people. */
  readonly message: string
  /** Whether the upstream is not to be read for a while, because it broke the rules. */
  readonly isViolation: boolean
}

export interface Session {
  /** Resolves when the connection has ended and nothing is being stored any more. */
  readonly ended: Promise<SessionEnd>
  /** Whether it is connected. */
  readonly isOpen: boolean
  /** Whether the upstream still sends events of before the connection. */
  readonly isReplaying: boolean
  close(): void
}

interface Deps {
  readonly id: number
  readonly origin: string
  readonly store: Database
  readonly interest: Interest
  readonly examine: Examine
  readonly storeFinding: StoreFinding
  readonly queue: FrameQueue
  readonly trust: Trust
  readonly revisions: Revisions
  readonly events: HourCounter
  readonly log: Logger
  readonly now: () => Date
  /** Called when the upstream does not send all events since the position. Resolves when this is on disk. */
  readonly onGap: () => Promise<void>
  /** Called when commits of an author are missing. Resolves when this is on disk. */
  readonly onMissed: (did: string) => Promise<void>
  readonly onOpen: () => void
}

/** Milliseconds after which the position is stored, if only events passed that do not concern this server. */
const positionMs = 10_000
/** Milliseconds without an event after which a replay has ended. */
const quietMs = 2000

/** @param cursor number of the last event that was read; undefined: only new events */
export function openSession(deps: Deps, cursor: number | undefined): Session {
  const { id, origin, store, trust, now, log } = deps
  const { promise: ended, resolve } = Promise.withResolvers<SessionEnd>()
  let isOpen = false
  let openedAt = 0
  let isReplaying = cursor !== undefined
  let lastReceived = performance.now()
  let hasEnded = false
  /** Why the stream is not read now: too much waits for the store, or it has sent too much in a short time. */
  const pauses = new Set<'store' | 'rate'>()
  let rateTimer: NodeJS.Timeout | undefined
  /** Whether a gap was reported on this connection: further reports of it would be of the same one. */
  let hasGap = false
  const reporting = new Set<string>()

  const pipeline = createPipeline({
    ...deps,
    onExamined: (isValid) => {
      trust.examined(isValid)
      checkTrust()
    },
    onDrain: () => resume('store'),
    onUnexpected: (error, { did, seq }) =>
      log.error({ err: error, did, seq, upstream: origin }, 'processing of an event failed'),
    onFault: (error) => {
      const isKnown = error instanceof StoreFull || error instanceof StoreUnavailable
      if (!isKnown && !hasEnded) log.error({ err: error, upstream: origin }, 'storing of an event failed')
      const message = isKnown ? error.message : 'This server could not store an event'
      end({ message, isViolation: false })
    },
  })
  const position = setInterval(() => void savePosition(), positionMs).unref()

  const query = cursor === undefined ? '' : `?cursor=${cursor}`
  const stream = openStream(`${origin}/xrpc/com.atproto.sync.subscribeRepos${query}`, {
    // The owner named this server.
    allowPrivate: true,
    onOpen() {
      isOpen = true
      openedAt = now().getTime()
      lastReceived = performance.now()
      deps.onOpen()
      // Without a position the stream begins now.
      if (cursor === undefined) reportGap()
    },
    onMessage(bytes) {
      try {
        receive(bytes)
      } catch (error) {
        if (!(error instanceof InvalidFrame)) throw error
        end({ message: `It sent an invalid event: ${error.message}`, isViolation: true })
      }
    },
    onEnd: end,
  })

  function receive(bytes: Buffer): void {
    lastReceived = performance.now()
    deps.events.add(1)
    const frame = readFrame(bytes)
    const waitMs = trust.read(bytes.length, isNext(frame) ? frame.time : undefined)
    if (waitMs > 0) pauseFor(waitMs)
    if (frame.kind === 'info' || frame.kind === 'error') trust.noticed()
    checkTrust()
    if (hasEnded) return
    if (frame.kind === 'info') {
      if (frame.name === 'OutdatedCursor') reportGap()
    } else if (frame.kind === 'error') {
      if (frame.name === 'FutureCursor') rewind()
      else end({ message: `The server ended the stream: ${frame.name}`, isViolation: false })
    } else if (frame.seq !== undefined) {
      receiveEvent(frame.seq, frame.kind === 'other' ? undefined : frame)
    }
  }

  /** Whether a message is an event that may be replayed: not one that was read already, nor of an unknown kind. */
  function isNext(frame: ReturnType<typeof readFrame>): frame is Frame {
    return 'did' in frame && frame.seq > (pipeline.lastSeq ?? cursor ?? frame.seq - 1)
  }

  function pause(reason: 'store' | 'rate'): void {
    pauses.add(reason)
    stream.pause()
  }

  function resume(reason: 'store' | 'rate'): void {
    if (pauses.delete(reason) && pauses.size === 0) stream.resume()
  }

  /** Lets the upstream wait: an honest one that replays its events goes on later. */
  function pauseFor(ms: number): void {
    pause('rate')
    clearTimeout(rateTimer)
    rateTimer = setTimeout(() => resume('rate'), ms).unref()
  }

  function receiveEvent(seq: number, frame: Frame | undefined): void {
    if (isReplaying && frame && Date.parse(frame.time) >= openedAt) isReplaying = false
    const last = pipeline.lastSeq ?? cursor ?? seq - 1
    if (seq === last) return
    // Only the first event shows that the upstream has counted anew. Later ones are out of order, which revisions make good.
    if (seq < last && pipeline.lastSeq === undefined) rewind()
    else if (!frame || !isRelevant(frame)) pipeline.pass(seq)
    else process(frame)
  }

  /** An author with events that are not stored yet may concern this server once they are. */
  function isRelevant(frame: Frame): boolean {
    const { did } = frame
    const concern = concernOf(frame, deps.interest)
    const isRelevant = concern === 'event' || pipeline.has(did) || deps.queue.has(did)
    if (!isRelevant && concern === 'none') deps.revisions.forget(did)
    else if (deps.revisions.isGap(frame)) reportMissed(did)
    return isRelevant
  }

  function process(frame: Frame): void {
    trust.received(frame.time)
    checkTrust()
    // A copy: the message is part of a larger piece of memory.
    pipeline.add(readFrame(Buffer.from(frame.bytes)) as Frame)
    if (pipeline.isFull) pause('store')
  }

  /** The upstream has counted anew, because it was restored or replaced: its stream is read from the beginning. */
  function rewind(): void {
    log.warn({ upstream: origin }, 'upstream has counted its events anew')
    reportGap()
    end({ message: 'The server has counted its events anew', isViolation: false }, 0)
  }

  function reportGap(): void {
    if (hasGap) return
    hasGap = true
    deps.onGap().catch((error: unknown) => {
      hasGap = false
      log.error({ err: error, upstream: origin }, 'a gap in the events could not be stored')
    })
  }

  /** Repeated reports are joined until the first one is on disk. */
  function reportMissed(did: string): void {
    if (reporting.has(did)) return
    reporting.add(did)
    deps
      .onMissed(did)
      .catch((error: unknown) => {
        log.error({ err: error, did, upstream: origin }, 'missing commits could not be stored')
      })
      .finally(() => reporting.delete(did))
  }

  function checkTrust(): void {
    if (trust.breach !== undefined) end({ message: trust.breach, isViolation: true })
  }

  function savePosition(): Promise<void> {
    return pipeline.savePosition().catch((error: unknown) => {
      if (!(error instanceof StoreUnavailable))
        log.error({ err: error }, 'storing the position of a stream failed')
    })
  }

  /** @param next where the stream is to be read from; by default, after the stored position */
  function end(reason: SessionEnd, next?: number): void {
    if (hasEnded) return
    hasEnded = true
    isOpen = false
    clearInterval(position)
    clearTimeout(rateTimer)
    stream.close()
    finish(next).then(() => resolve(reason))
  }

  async function finish(next: number | undefined): Promise<void> {
    await pipeline.close()
    if (next === undefined) await savePosition()
    else await store.transact((tx) => upstreams.rewind(tx, id, next)).catch(() => {})
  }

  return {
    ended,
    get isOpen() {
      return isOpen
    },
    get isReplaying() {
      return isReplaying && performance.now() - lastReceived < quietMs
    },
    close: () => end({ message: 'closed', isViolation: false }),
  }
}
