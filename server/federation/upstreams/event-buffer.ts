/** The events of one connection that are not stored yet, in the order of the stream. */
import type { Finding } from './examine.ts'
import type { Frame } from './upstream-frames.ts'

export interface Entry {
  readonly frame: Frame
  /** Number of the event before. */
  readonly before: number
}

/** The outcome of the verification. `later`: the event must wait for another server. */
export type Result = Finding | { readonly kind: 'later'; readonly frame: Frame }

/** Events to store in one transaction. */
export interface Batch {
  readonly entries: ReadonlySet<Entry>
  /** The changes of all of them, or the result of a single one. */
  readonly result: Result
}

const limits = { events: 4000, bytes: 20_000_000 }
/** Events of one transaction. */
const batchEvents = 50

export class EventBuffer {
  readonly #entries = new Set<Entry>()
  /** How many of the entries an author has. */
  readonly #counts = new Map<string, number>()
  /** Bytes of the entries. */
  #bytes = 0
  /** Entries that are ready to be stored. */
  readonly #ready: { readonly entry: Entry; readonly result: Result }[] = []
  #lastSeq: number | undefined

  /** The highest number of an event; undefined before the first one. */
  get lastSeq(): number | undefined {
    return this.#lastSeq
  }

  get isFull(): boolean {
    return this.#entries.size >= limits.events || this.#bytes >= limits.bytes
  }

  get isHalfEmpty(): boolean {
    return this.#entries.size <= limits.events / 2 && this.#bytes <= limits.bytes / 2
  }

  /** Whether a whole batch is ready to be stored. */
  get hasFullBatch(): boolean {
    return this.#ready.length >= batchEvents
  }

  /** Whether events of an author are not stored yet. */
  has(did: string): boolean {
    return this.#counts.has(did)
  }

  /** Notes an event that does not concern this server. */
  pass(seq: number): void {
    this.#lastSeq = Math.max(this.#lastSeq ?? seq, seq)
  }

  add(frame: Frame): Entry {
    const { seq, did, bytes } = frame
    const entry = { frame, before: Math.min(this.#lastSeq ?? seq - 1, seq - 1) }
    this.pass(seq)
    this.#entries.add(entry)
    this.#counts.set(did, (this.#counts.get(did) ?? 0) + 1)
    this.#bytes += bytes.length
    return entry
  }

  /** Marks an entry as ready to be stored. */
  setReady(entry: Entry, result: Result): void {
    this.#ready.push({ entry, result })
  }

  /** Takes events that are ready. They remain in the buffer until they are removed. @returns undefined if there are none */
  takeBatch(): Batch | undefined {
    const isSingle = this.#ready.findIndex(({ result }) => result.kind !== 'changes')
    const count = isSingle < 0 ? this.#ready.length : Math.max(isSingle, 1)
    const batch = this.#ready.splice(0, Math.min(count, batchEvents))
    const [first] = batch
    if (!first) return undefined
    const changes = batch.flatMap(({ result }) => (result.kind === 'changes' ? result.changes : []))
    return {
      entries: new Set(batch.map(({ entry }) => entry)),
      result: first.result.kind === 'changes' ? { kind: 'changes', changes } : first.result,
    }
  }

  remove(entries: Iterable<Entry>): void {
    for (const entry of entries) {
      const { did, bytes } = entry.frame
      this.#entries.delete(entry)
      this.#bytes -= bytes.length
      const left = (this.#counts.get(did) ?? 0) - 1
      if (left > 0) this.#counts.set(did, left)
      else this.#counts.delete(did)
    }
  }

  /**
   * Returns the number of the last event before all entries; undefined before the first event.
   * @param except entries that are about to be removed
   */
  position(except: ReadonlySet<Entry> = new Set()): number | undefined {
    for (const entry of this.#entries) if (!except.has(entry)) return entry.before
    return this.#lastSeq
  }
}
