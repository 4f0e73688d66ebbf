/**
 * One connection to an upstream: reads its event stream from a position until either side ends it. Events that concern this server
 * are verified, and stored in the order of each author, several in a transaction. The position of the stream is stored with them.
 */
import { isValidDid } from '@atproto/syntax'
import { openStream, type Stream, type StreamEnd } from '../../platform/network/websocket.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Writer } from '../../store/database.ts'
import { StoreFull, StoreUnavailable } from '../../store/files/store-errors.ts'
import { clearDeadline, realElapsed, setDeadline } from '../../util/deadlines.ts'
import type { HourCounter } from '../../util/hour-counter.ts'
import { createLimit } from '../../util/limit.ts'
import { clearInterval, setInterval, type Timer, yieldToEventLoop } from '../../util/timers.ts'
import type { CatchUp } from '../remote/catch-up.ts'
import type { Filter } from '../remote/filter/filter.ts'
import type { UpstreamLimits } from '../remote/limits/upstream.ts'
import * as upstreams from '../tables/upstreams.ts'
import { errorKind } from './error-kind.ts'
import { type Batch, type Entry, EventBuffer, type Result } from './event-buffer.ts'
import type { Examine } from './examine.ts'
import type { FrameQueue } from './retry-queue.ts'
import type { Revisions } from './revisions.ts'
import type { StoreFinding } from './store-finding.ts'
import { claimedOps, type Frame, InvalidFrame, readFrame } from './upstream-frames.ts'

interface Deps extends Pick<Platform, 'store' | 'log' | 'now'> {
  readonly id: number
  readonly origin: string
  readonly filter: Pick<Filter, 'event'>
  readonly examine: Examine
  readonly storeFinding: StoreFinding
  readonly queue: FrameQueue
  readonly limits: UpstreamLimits
  readonly revisions: Revisions
  readonly catchUp: Pick<CatchUp, 'onGap' | 'onIncomplete' | 'onUnknown'>
  /** Counts messages. */
  readonly events: HourCounter
}

/** Where the stream is read from. */
interface Start {
  /** Number of the last event that was read; undefined: only new events are read. */
  readonly cursor: number | undefined
  /** When it was read, in milliseconds since 1970; undefined for a new upstream. */
  readonly since: number | undefined
}

/** Milliseconds after which the position is stored, if only events passed that do not concern this server. */
const positionMs = 10_000
/** Milliseconds without an event after which a replay has ended. */
const quietMs = 2000
/** Events whose authors are looked up at once. */
const concurrency = { total: 16, perKey: 1 }

export class UpstreamStream {
  readonly #deps: Deps
  readonly #start: Start
  readonly #connection: Stream
  readonly #opened = Promise.withResolvers<void>()
  readonly #ended = Promise.withResolvers<StreamEnd>()
  #isOpen = false
  #hasEnded = false
  #openedAt = 0
  #isReplaying: boolean
  #lastReceived = realElapsed()
  /** Why the stream is not read now: too much waits for the store, or it has sent too much in a short time. */
  readonly #pauses = new Set<'store' | 'rate'>()
  #rateTimer: Timer | undefined
  /** Whether a gap was reported on this connection: further reports of it would be of the same one. */
  #hasGap = false
  /** Authors whose missing commits are being reported. */
  readonly #reporting = new Set<string>()

  readonly #buffer = new EventBuffer()
  readonly #limit = createLimit(concurrency)
  /** Authors of events that are about to be queued. */
  readonly #postponed = new Set<string>()
  /** The transactions that are running. */
  #storing: Promise<void> | undefined
  readonly #positionTimer: Timer
  /** The position that was stored last. */
  #savedSeq: number | undefined

  constructor(deps: Deps, start: Start) {
    const { cursor } = start
    this.#deps = deps
    this.#start = start
    this.#isReplaying = cursor !== undefined
    this.#positionTimer = setInterval(() => void this.#savePosition(), positionMs).unref()
    const query = cursor === undefined ? '' : `?cursor=${cursor}`
    this.#connection = openStream(`${deps.origin}/xrpc/com.atproto.sync.subscribeRepos${query}`, {
      // The owner named this server.
      allowPrivate: true,
      onOpen: () => this.#onOpen(),
      onMessage: (bytes) => this.#onMessage(bytes),
      onEnd: (reason) => this.#end(reason),
    })
  }

  /** Resolves when it is connected. */
  get opened(): Promise<void> {
    return this.#opened.promise
  }

  /** Resolves when the connection has ended and nothing is being stored any more. */
  get ended(): Promise<StreamEnd> {
    return this.#ended.promise
  }

  /** Whether it is connected. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Whether the upstream still sends events of before the connection. */
  get isReplaying(): boolean {
    return this.#isReplaying && realElapsed() - this.#lastReceived < quietMs
  }

  close(): void {
    this.#end({ message: 'closed', isViolation: false })
  }

  #onOpen(): void {
    this.#isOpen = true
    this.#openedAt = this.#deps.now().getTime()
    this.#lastReceived = realElapsed()
    this.#opened.resolve()
    // A stream without a position begins with the next event.
    if (this.#start.cursor === undefined) this.#reportGap()
  }

  #onMessage(bytes: Buffer): void {
    try {
      this.#receive(bytes)
    } catch (error) {
      // A read of the store failed. Nothing catches an error here, so it would end the process.
      if (!(error instanceof InvalidFrame)) this.#fail(error)
      else this.#end({ message: `It sent an invalid event: ${error.message}`, isViolation: true })
    }
  }

  /** @throws InvalidFrame */
  #receive(bytes: Buffer): void {
    const { events, limits } = this.#deps
    this.#lastReceived = realElapsed()
    events.add(1)
    const frame = readFrame(bytes)
    const waitMs = limits.read(bytes.length, this.#isNext(frame) ? frame.time : undefined)
    if (waitMs > 0) this.#pauseFor(waitMs)
    if (frame.kind === 'info' || frame.kind === 'error') limits.noticed()
    this.#checkLimits()
    if (this.#hasEnded) return
    if (frame.kind === 'info') {
      if (frame.name === 'OutdatedCursor') this.#reportGap()
    } else if (frame.kind === 'error') {
      if (frame.name === 'FutureCursor') this.#rewind()
      else this.#end({ message: `The server ended the stream: ${frame.name}`, isViolation: false })
    } else if (frame.seq !== undefined) {
      this.#receiveEvent(frame.seq, frame.kind === 'other' ? undefined : frame)
    }
  }

  /** Whether a message is a new event of a known kind. */
  #isNext(frame: ReturnType<typeof readFrame>): frame is Frame {
    return 'did' in frame && frame.seq > this.#lastBefore(frame.seq)
  }

  /** Returns the number of the last event; for the first one of a new upstream, the number before it. */
  #lastBefore(seq: number): number {
    return this.#buffer.lastSeq ?? this.#start.cursor ?? seq - 1
  }

  #receiveEvent(seq: number, frame: Frame | undefined): void {
    if (this.#isReplaying && frame && Date.parse(frame.time) >= this.#openedAt) this.#isReplaying = false
    const last = this.#lastBefore(seq)
    if (seq === last) return
    // Only the first event shows that the upstream has counted anew. Later ones are out of order, which revisions make good.
    if (seq < last && this.#buffer.lastSeq === undefined) this.#rewind()
    else if (!frame || !this.#isRelevant(frame)) this.#buffer.pass(seq)
    else this.#add(frame)
  }

  /** An author with events that are not stored yet may concern this server once they are. */
  #isRelevant(frame: Frame): boolean {
    const { filter, queue, revisions } = this.#deps
    const { did } = frame
    const decision = filter.event(frame, claimedOps)
    const isRelevant = decision.keep || this.#buffer.has(did) || queue.has(did)
    if (!isRelevant && decision.reason !== 'unrelated') {
      revisions.forget(did)
      if (decision.reason === 'unknown') this.#receiveOfUnknown(frame)
    }
    // Of a known author, a gap in the events is reported even if this one does not matter.
    else if (revisions.isGap(frame)) this.#reportMissing(did, 'onIncomplete')
    return isRelevant
  }

  /** It is not in the order of the others: it concerns only what the server keeps in memory. */
  #receiveOfUnknown(frame: Frame): void {
    const { kind, did } = frame
    // The author may have written before the stream reported the account.
    if (kind === 'sync') this.#reportMissing(did, 'onUnknown')
    // Its profile may have been shown, or be shown next.
    if (kind === 'identity') void this.#deps.examine(frame).catch(() => {})
  }

  #add(frame: Frame): void {
    this.#deps.limits.received(frame.time)
    this.#checkLimits()
    // A copy: the message is part of a larger piece of memory.
    const entry = this.#buffer.add(readFrame(Buffer.from(frame.bytes)) as Frame)
    this.#limit(frame.did, () => this.#process(entry)).catch((error: unknown) => this.#fail(error))
    if (this.#buffer.isFull) this.#pause('store')
  }

  async #process(entry: Entry): Promise<void> {
    // Stored records use up budgets, so that fewer events need to be verified.
    while (this.#buffer.hasFullBatch && this.#storing) await this.#storing
    if (this.#hasEnded) return
    const result = await this.#verify(entry.frame)
    if (this.#hasEnded) return
    this.#buffer.setReady(entry, result)
    this.#storing ??= this.#storeReady()
  }

  async #verify(frame: Frame): Promise<Result> {
    const { examine, queue, log, origin } = this.#deps
    const { did, seq } = frame
    const later = { kind: 'later', frame } as const
    if (queue.has(did) || this.#postponed.has(did)) return later
    try {
      const finding = await examine(frame)
      this.#countVerified(true)
      return finding
    } catch (error) {
      const kind = errorKind(error)
      // The stream goes on: the event would fail again.
      if (!kind && !this.#hasEnded)
        log.error({ err: error, did, seq, upstream: origin }, 'processing of an event failed')
      if (kind === 'invalid') this.#countVerified(false)
      if (kind !== 'later') return { kind: 'nothing' }
      this.#postponed.add(did)
      return later
    }
  }

  #countVerified(isValid: boolean): void {
    this.#deps.limits.examined(isValid)
    this.#checkLimits()
  }

  /** Stores the events that are ready, and those that become ready meanwhile. */
  async #storeReady(): Promise<void> {
    try {
      await yieldToEventLoop()
      for (;;) {
        const batch = this.#hasEnded ? undefined : this.#buffer.takeBatch()
        if (!batch) return
        await this.#storeBatch(batch)
      }
    } catch (error) {
      this.#fail(error)
    } finally {
      this.#storing = undefined
    }
  }

  async #storeBatch({ entries, result }: Batch): Promise<void> {
    const { queue, storeFinding } = this.#deps
    const advance = (tx: Writer) => this.#advance(tx, entries)
    if (result.kind === 'later') {
      await queue.add(result.frame, advance)
      this.#postponed.delete(result.frame.did)
    } else {
      await storeFinding(result, advance)
    }
    // Not before: until it is stored, the position must stay behind it.
    this.#buffer.remove(entries)
    if (this.#buffer.isHalfEmpty) this.#resume('store')
  }

  /** Stores the position, in the transaction that stores some events. */
  #advance(tx: Writer, stored?: ReadonlySet<Entry>): void {
    const { id, now } = this.#deps
    const cursor = this.#buffer.position(stored)
    if (cursor === undefined) return
    upstreams.advance(tx, id, { cursor, lastEventAt: now().getTime() })
    this.#savedSeq = cursor
  }

  async #savePosition(): Promise<void> {
    const { store, log } = this.#deps
    if (this.#buffer.position() === this.#savedSeq) return
    try {
      await store.transact((tx) => this.#advance(tx))
    } catch (error) {
      if (!(error instanceof StoreUnavailable))
        log.error({ err: error }, 'storing the position of a stream failed')
    }
  }

  #pause(reason: 'store' | 'rate'): void {
    this.#pauses.add(reason)
    this.#connection.pause()
  }

  #resume(reason: 'store' | 'rate'): void {
    if (this.#pauses.delete(reason) && this.#pauses.size === 0) this.#connection.resume()
  }

  /** Pauses the upstream: an honest one that replays its events continues later. */
  #pauseFor(ms: number): void {
    this.#pause('rate')
    clearDeadline(this.#rateTimer)
    this.#rateTimer = setDeadline(() => this.#resume('rate'), ms).unref()
  }

  #reportGap(): void {
    if (this.#hasGap) return
    this.#hasGap = true
    const { catchUp, log, origin } = this.#deps
    catchUp.onGap(origin, this.#start.since).catch((error: unknown) => {
      this.#hasGap = false
      log.error({ err: error, upstream: origin }, 'a gap in the events could not be stored')
    })
  }

  /** Reports that commits of an author are missing. Repeated reports are joined until the first one is on disk. */
  #reportMissing(did: string, event: 'onIncomplete' | 'onUnknown'): void {
    if (this.#reporting.has(did) || !isValidDid(did)) return
    this.#reporting.add(did)
    const { catchUp, log, origin } = this.#deps
    catchUp[event](did, origin)
      .catch((error: unknown) => {
        log.error({ err: error, did, upstream: origin }, 'missing commits could not be stored')
      })
      .finally(() => this.#reporting.delete(did))
  }

  #checkLimits(): void {
    const { breach } = this.#deps.limits
    if (breach !== undefined) this.#end({ message: breach, isViolation: true })
  }

  /** The upstream has counted anew, because it was restored or replaced: its stream is read from the beginning. */
  #rewind(): void {
    this.#deps.log.warn({ upstream: this.#deps.origin }, 'upstream has counted its events anew')
    this.#reportGap()
    this.#end({ message: 'The server has counted its events anew', isViolation: false }, 0)
  }

  /** An event cannot be examined or stored: the stream must be read again from its position. */
  #fail(error: unknown): void {
    const { log, origin } = this.#deps
    const isKnown = error instanceof StoreFull || error instanceof StoreUnavailable
    if (!isKnown && !this.#hasEnded) log.error({ err: error, upstream: origin }, 'storing of an event failed')
    const message = isKnown ? error.message : 'This server could not store an event'
    this.#end({ message, isViolation: false })
  }

  /**
   * Ends the connection. Waiting events are dropped: the next connection gets them again.
   * @param next where the stream is to be read from; by default, after the stored position
   */
  #end(reason: StreamEnd, next?: number): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#isOpen = false
    clearInterval(this.#positionTimer)
    clearDeadline(this.#rateTimer)
    this.#connection.close()
    this.#finish(next).then(() => this.#ended.resolve(reason))
  }

  async #finish(next: number | undefined): Promise<void> {
    const { id, store } = this.#deps
    await this.#storing
    if (next === undefined) await this.#savePosition()
    else await store.transact((tx) => upstreams.rewind(tx, id, next)).catch(() => {})
  }
}
