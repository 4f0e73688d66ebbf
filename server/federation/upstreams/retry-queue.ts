/**
 * Events that wait until another server can be reached, such as the one that has the identity of their author. They are stored, so
 * that the stream goes on and nothing is lost; later events of the same author wait behind them.
 */
import type { DidString } from '@atproto/syntax'
import type { Platform } from '../../platform/platform.ts'
import type { Writer } from '../../store/database.ts'
import { backoffMs } from '../../util/backoff.ts'
import { createLimit } from '../../util/limit.ts'
import { clearTimeout, setTimeout, type Timer } from '../../util/timers.ts'
import * as rows from '../tables/upstream-queue.ts'
import { errorKind } from './error-kind.ts'
import type { Examine, Finding } from './examine.ts'
import type { StoreFinding } from './store-finding.ts'
import { type Frame, readFrame } from './upstream-frames.ts'

export interface FrameQueue {
  /** Whether events of an author wait. */
  has(did: string): boolean
  /** Stores an event, unless the queue is full. @param last runs in the same transaction, in any case */
  add(frame: Frame, last: (tx: Writer) => void): Promise<void>
  /** Tries all authors again. */
  retry(): void
  /** Tries the authors that are due: timers stand still while a computer sleeps. */
  resumeDue(): void
  /** Resolves when nothing is being stored any more. Waiting events are tried again after the next start. */
  close(): Promise<void>
}

interface Deps extends Pick<Platform, 'store' | 'log' | 'now'> {
  /** Id of the upstream. */
  readonly id: number
  readonly origin: string
  readonly examine: Examine
  readonly storeFinding: StoreFinding
  /** Called with the author of each event that was left out. */
  readonly onDropped: (did: DidString) => Promise<void>
  /** While it is implausible, no event is too old. */
  readonly clock: { isPlausible(): boolean }
  readonly signal: AbortSignal
}

/** The events of one author. */
interface Backlog {
  frames: number
  bytes: number
  failures: number
  /** When they are tried again, in milliseconds since 1970; undefined while they are. */
  dueAt: number | undefined
  timer: Timer | undefined
}

const limits = { frames: 1000, bytes: 20_000_000, ageMs: 3 * 24 * 60 * 60_000 }
/** Milliseconds before the first attempts after the start. */
const startDelayMs = 1000
const retryDelays = { firstMs: 5000, longestMs: 30 * 60_000, factor: 4, jitter: [0.75, 1.25] } as const
/** Authors that are tried at once. */
const concurrency = { total: 4, perKey: 1 }

export function createFrameQueue(deps: Deps): FrameQueue {
  const { id, origin, store, examine, storeFinding, onDropped, log, now, clock, signal } = deps
  const limit = createLimit(concurrency)
  const backlogs = new Map<string, Backlog>()
  const running = new Set<Promise<void>>()
  let [frames, bytes] = [0, 0]
  let isFullReported = false

  function count(did: string, size: Size, delayMs: number): void {
    let backlog = backlogs.get(did)
    if (!backlog) {
      backlog = { frames: 0, bytes: 0, failures: 0, dueAt: undefined, timer: undefined }
      backlogs.set(did, backlog)
      schedule(did, backlog, delayMs)
    }
    change(backlog, size)
  }

  function change(backlog: Backlog, size: Size): void {
    backlog.frames += size.frames
    backlog.bytes += size.bytes
    frames += size.frames
    bytes += size.bytes
  }

  function schedule(did: string, backlog: Backlog, delayMs: number): void {
    clearTimeout(backlog.timer)
    backlog.dueAt = now().getTime() + delayMs
    if (!signal.aborted) backlog.timer = setTimeout(() => start(did, backlog), delayMs).unref()
  }

  function start(did: string, backlog: Backlog): void {
    clearTimeout(backlog.timer)
    backlog.dueAt = undefined
    limit(did, () => drain(did, backlog)).catch((error: unknown) => {
      if (signal.aborted) return
      log.error({ err: error, did, upstream: origin }, 'storing of queued events failed')
      schedule(did, backlog, retryDelays.longestMs)
    })
  }

  /** Runs work that `close` waits for. */
  async function storing(work: () => Promise<void>): Promise<void> {
    const run = work()
    running.add(run)
    await run.finally(() => running.delete(run))
  }

  /** Processes the events of an author in order, until one must wait longer. */
  async function drain(did: string, backlog: Backlog): Promise<void> {
    while (!signal.aborted && backlogs.get(did) === backlog) {
      const row = rows.first(store, id, did)
      if (!row) {
        backlogs.delete(did)
        change(backlog, { frames: -backlog.frames, bytes: -backlog.bytes })
        return
      }
      const finding = await findingOf(did, row)
      if (signal.aborted) return
      if (finding === 'later') {
        return schedule(did, backlog, backoffMs(retryDelays, backlog.failures++))
      }
      await storing(async () => {
        await storeFinding(finding, () => {})
        await store.transact((tx) => rows.remove(tx, row.id))
      })
      change(backlog, { frames: -1, bytes: -row.frame.length })
      backlog.failures = 0
    }
  }

  async function findingOf(
    did: string,
    { receivedAt, frame: bytes }: rows.QueuedFrame,
  ): Promise<Finding | 'later'> {
    const nothing: Finding = { kind: 'nothing' }
    if (receivedAt < now().getTime() - limits.ageMs && clock.isPlausible()) {
      log.warn({ did, upstream: origin }, 'queued event dropped: its author could not be looked up in time')
      return { kind: 'dropped', did: did as DidString }
    }
    try {
      const frame = readFrame(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
      if (!('did' in frame)) return nothing
      return await examine(frame)
    } catch (error) {
      if (signal.aborted) return 'later'
      const kind = errorKind(error)
      if (!kind) log.error({ err: error, did, upstream: origin }, 'processing of a queued event failed')
      return kind === 'later' ? 'later' : nothing
    }
  }

  for (const { did, ...size } of rows.backlogs(store, id)) count(did, size, startDelayMs)

  return {
    has: (did) => backlogs.has(did),
    async add({ did, bytes: frame }, last) {
      const isFull = frames >= limits.frames || bytes + frame.length > limits.bytes
      if (isFull && !isFullReported)
        log.warn({ upstream: origin }, 'queue of events is full: more are dropped')
      isFullReported = isFull
      await store.transact((tx) => {
        if (!isFull) rows.add(tx, { upstream: id, did, frame }, now().getTime())
        last(tx)
      })
      if (isFull) await onDropped(did as DidString)
      else count(did, { frames: 1, bytes: frame.length }, retryDelays.firstMs)
    },
    retry() {
      for (const [did, backlog] of backlogs) schedule(did, backlog, 0)
    },
    resumeDue() {
      const at = now().getTime()
      for (const [did, backlog] of backlogs)
        if ((backlog.dueAt ?? Number.POSITIVE_INFINITY) <= at) start(did, backlog)
    },
    async close() {
      for (const { timer } of backlogs.values()) clearTimeout(timer)
      await Promise.allSettled(running)
    },
  }
}

type Size = Pick<Backlog, 'frames' | 'bytes'>
