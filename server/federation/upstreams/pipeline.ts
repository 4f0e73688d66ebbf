/**
 * Takes the events of one connection that concern this server from the stream to the store: verified, in the order of each author,
 * in transactions of several events. The position of the stream is stored in the same transactions.
 */
import { setImmediate } from 'node:timers/promises'
import type { Database, Writer } from '../../platform/store/database.ts'
import * as upstreams from '../../platform/store/tables/upstreams.ts'
import { createLimit } from '../../platform/util/limit.ts'
import type { Examine, Finding } from './examine.ts'
import type { Frame } from './frames.ts'
import { judge } from './judge.ts'
import type { FrameQueue } from './queue.ts'
import type { StoreFinding } from './store-finding.ts'

export interface Pipeline {
  /** The highest number of an event; undefined before the first one. */
  readonly lastSeq: number | undefined
  /** Whether so much waits that the stream must be paused. */
  readonly isFull: boolean
  /** Notes an event that does not concern this server. */
  pass(seq: number): void
  add(frame: Frame): void
  /** Whether events of an author have not been stored yet. */
  has(did: string): boolean
  /** Stores the position if it has changed. */
  savePosition(): Promise<void>
  /** Drops waiting events: the next connection gets them again. Resolves when nothing is being stored any more. */
  close(): Promise<void>
}

interface Deps {
  readonly id: number
  readonly store: Database
  readonly examine: Examine
  readonly storeFinding: StoreFinding
  readonly queue: FrameQueue
  readonly now: () => Date
  readonly onExamined: (isValid: boolean) => void
  /** Called after each transaction that leaves the queue at most half full. */
  readonly onDrain: () => void
  /** Called when an event failed for an unexpected reason. It is dropped. */
  readonly onUnexpected: (error: unknown, frame: Frame) => void
  /** Called when an event cannot be stored: the stream must be read again from its position. */
  readonly onFault: (error: unknown) => void
}

interface Item {
  readonly frame: Frame
  /** Number of the event before. */
  readonly before: number
}

type Result = Finding | 'later'

const limits = { items: 4000, bytes: 20_000_000 }
/** Events whose authors are looked up at once. */
const concurrency = { total: 16, perKey: 1 }
/** Events of one transaction. */
const batchEvents = 50

export function createPipeline(deps: Deps): Pipeline {
  const { id, store, examine, storeFinding, queue, now, onFault } = deps
  const limit = createLimit(concurrency)
  /** Events that have not been stored, in the order of the stream. */
  const open = new Set<Item>()
  /** How many of these events an author has. */
  const counts = new Map<string, number>()
  /** Of these events. */
  let bytes = 0
  /** Authors of events that are about to be queued. */
  const postponed = new Set<string>()
  /** Events that are ready to be stored. */
  let results: { readonly item: Item; readonly result: Result }[] = []
  let lastSeq: number | undefined
  let savedSeq: number | undefined
  let storing: Promise<void> | undefined
  let isClosed = false

  const isFull = () => open.size >= limits.items || bytes >= limits.bytes

  async function process(item: Item): Promise<void> {
    // Stored records use up budgets, so that fewer events need to be verified.
    while (results.length >= batchEvents && storing) await storing
    if (isClosed) return
    const result = await resultOf(item.frame)
    if (isClosed) return
    results.push({ item, result })
    startStoring()
  }

  function startStoring(): void {
    storing ??= storeAll()
      .catch(onFault)
      .finally(() => {
        storing = undefined
        // More may have become ready just now.
        if (results.length > 0 && !isClosed) startStoring()
      })
  }

  async function resultOf(frame: Frame): Promise<Result> {
    if (queue.has(frame.did) || postponed.has(frame.did)) return 'later'
    try {
      const finding = await examine(frame)
      deps.onExamined(true)
      return finding
    } catch (error) {
      const verdict = judge(error)
      // The stream goes on: the event would fail again.
      if (!verdict && !isClosed) deps.onUnexpected(error, frame)
      if (verdict === 'invalid') deps.onExamined(false)
      if (verdict === 'later') postponed.add(frame.did)
      return verdict === 'later' ? 'later' : { kind: 'nothing' }
    }
  }

  /** Stores the results that are ready, and those that become ready meanwhile. */
  async function storeAll(): Promise<void> {
    await setImmediate()
    while (results.length > 0 && !isClosed) await storeBatch(takeBatch())
  }

  function takeBatch(): typeof results {
    const isOther = results.findIndex(({ result }) => result === 'later' || result.kind !== 'changes')
    const count = isOther < 0 ? results.length : Math.max(isOther, 1)
    return results.splice(0, Math.min(count, batchEvents))
  }

  async function storeBatch(batch: typeof results): Promise<void> {
    const items = new Set(batch.map(({ item }) => item))
    const advanceBeyond = (tx: Writer) => advance(tx, items)
    const [first] = batch
    if (first?.result === 'later') await postpone(first.item.frame, advanceBeyond)
    else await storeFinding(merged(batch), advanceBeyond)
    // Not before: until it is stored, the position must stay behind it.
    for (const item of items) remove(item)
    if (open.size <= limits.items / 2 && bytes <= limits.bytes / 2) deps.onDrain()
  }

  async function postpone(frame: Frame, last: (tx: Writer) => void): Promise<void> {
    await queue.add(frame, last)
    postponed.delete(frame.did)
  }

  function remove(item: Item): void {
    const { did, bytes: message } = item.frame
    open.delete(item)
    bytes -= message.length
    const left = (counts.get(did) ?? 0) - 1
    if (left > 0) counts.set(did, left)
    else counts.delete(did)
  }

  /** Returns the number of the last event before all that are not stored, except for some. */
  function position(except: ReadonlySet<Item> = new Set()): number | undefined {
    for (const item of open) if (!except.has(item)) return item.before
    return lastSeq
  }

  /** Stores the position, in the transaction that stores some events. */
  function advance(tx: Writer, stored?: ReadonlySet<Item>): void {
    const cursor = position(stored)
    if (cursor === undefined) return
    upstreams.advance(tx, id, { cursor, lastEventAt: now().getTime() })
    savedSeq = cursor
  }

  return {
    get lastSeq() {
      return lastSeq
    },
    get isFull() {
      return isFull()
    },
    pass(seq) {
      lastSeq = Math.max(lastSeq ?? seq, seq)
    },
    add(frame) {
      const { seq } = frame
      const item = { frame, before: Math.min(lastSeq ?? seq - 1, seq - 1) }
      lastSeq = Math.max(lastSeq ?? seq, seq)
      open.add(item)
      counts.set(frame.did, (counts.get(frame.did) ?? 0) + 1)
      bytes += frame.bytes.length
      limit(frame.did, () => process(item)).catch(onFault)
    },
    has: (did) => counts.has(did),
    async savePosition() {
      if (position() !== savedSeq) await store.transact((tx) => advance(tx))
    },
    async close() {
      isClosed = true
      results = []
      await storing
    },
  }
}

/** Joins the changes of several events. */
function merged(batch: readonly { readonly result: Result }[]): Finding {
  const findings = batch.flatMap(({ result }) => (result === 'later' ? [] : [result]))
  const [first] = findings
  if (first?.kind !== 'changes') return first ?? { kind: 'nothing' }
  return { kind: 'changes', changes: findings.flatMap((one) => (one.kind === 'changes' ? one.changes : [])) }
}
