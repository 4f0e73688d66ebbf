/** Reads acknowledged transactions from the journals in order, also those that are kept for the continuous copies. */
import { type Files, isMissing } from '../files/files.ts'
import { journalPath, journalSeqs } from '../files/layout.ts'
import {
  decodeFrames,
  encodeFrame,
  encodeTitle,
  lineBytes,
  readFrame,
  readFrameHeader,
  readTitle,
} from './journal.ts'
import { type EncodedStatement, encodeStatement } from './journal-statements.ts'
import { keptJournals } from './retire.ts'

/** Transactions as the content of a journal of their own. */
export interface JournalPart {
  /** Numbers of its first and last transaction. */
  readonly from: number
  readonly to: number
  readonly content: Buffer
}

/** The transactions that are asked for are in no journal. */
export class JournalGap extends Error {}

/** The journal that is being read. */
interface Reading {
  readonly first: number
  /** End of the last frame that was read. */
  at: number
  /** A part of it in memory. */
  readonly window: { start: number; bytes: Buffer }
  /** Texts of its statements so far. */
  readonly texts: string[]
}

const windowBytes = 256 * 1024

export class JournalTail {
  readonly #files: Files
  readonly #dir: string
  #last: number
  #reading: Reading | undefined

  /** @param after number of the transaction before the first one to be read */
  constructor(files: Files, dir: string, after: number) {
    this.#files = files
    this.#dir = dir
    this.#last = after
  }

  /** Number of the last transaction that was read. */
  get last(): number {
    return this.#last
  }

  /**
   * Returns the next transactions, undefined if there are none.
   * @param upTo number of the last one that may be read: later ones may not be on disk yet
   * @param maxBytes ends the part after the frame that exceeds it
   * @throws JournalGap
   */
  async read(upTo: number, maxBytes: number): Promise<JournalPart | undefined> {
    const from = this.#last + 1
    const frames: Buffer[] = []
    let bytes = 0
    const texts = new Map<string, number>()
    const title = encodeTitle(from)
    // An earlier call may have read transactions beyond `upTo` that were rejected and written again since.
    if (this.#reading) this.#reading.window.bytes = Buffer.alloc(0)
    while (this.#last < upTo && bytes < maxBytes) {
      const next = await this.#nextFrame(upTo)
      if (next === undefined) break
      const frame = encodeFrame(next.from, next.transactions, title.length + bytes, texts)
      for (const text of frame.added) texts.set(text, texts.size + 1)
      frames.push(frame.bytes)
      bytes += frame.bytes.length
      this.#last = next.from + next.transactions.length - 1
    }
    if (this.#last < from) return undefined
    return { from, to: this.#last, content: Buffer.concat([title, ...frames]) }
  }

  /** Returns the transactions of the next frame that are after the last one and not after `upTo`. */
  async #nextFrame(upTo: number): Promise<{ from: number; transactions: EncodedStatement[][] } | undefined> {
    for (;;) {
      this.#reading ??= await this.#openJournal()
      const reading = this.#reading
      const frame = await this.#readFrame(reading)
      if (frame === undefined || frame.seq + frame.count - 1 > upTo) {
        // The transactions that follow are in the next journal, if the one being read is not the newest.
        if (frame !== undefined || !(await this.#hasNext(reading.first))) return undefined
        this.#reading = undefined
        continue
      }
      reading.at += lineBytes + frame.payload.length
      const transactions = [...decodeFrames({ frames: [frame] }, reading.texts)]
        .filter(({ seq }) => seq > this.#last)
        .map(({ statements }) => statements.map(([sql, params]) => encodeStatement(sql, params)))
      if (transactions.length > 0) return { from: this.#last + 1, transactions }
    }
  }

  async #openJournal(): Promise<Reading> {
    const wanted = this.#last + 1
    const first = (await this.#firsts()).findLast((seq) => seq <= wanted)
    if (first === undefined) throw new JournalGap(`Transaction ${wanted} is in no journal.`)
    const title = readTitle(await this.#read(first, 0, lineBytes))
    if (title?.firstSeq !== first) throw new JournalGap(`Journal ${first} cannot be read.`)
    return {
      first,
      at: lineBytes,
      window: { start: 0, bytes: Buffer.alloc(0) },
      texts: [],
    }
  }

  async #hasNext(first: number): Promise<boolean> {
    return (await this.#firsts()).some((seq) => seq > first && seq <= this.#last + 1)
  }

  async #firsts(): Promise<number[]> {
    const kept = await this.#files.list(keptJournals(this.#dir))
    return journalSeqs([...new Set([...kept, ...(await this.#files.list(this.#dir))])])
  }

  async #readFrame({ first, at, window }: Reading) {
    const frame = readFrame(window.bytes, at - window.start)
    if (frame) return frame
    window.start = at
    window.bytes = await this.#read(first, at, at + windowBytes)
    const header = readFrameHeader(window.bytes, 0)
    const length = header ? lineBytes + header.length : 0
    if (length > window.bytes.length) window.bytes = await this.#read(first, at, at + length)
    return readFrame(window.bytes, 0)
  }

  /** Reads from a journal, which may be moved at any moment. */
  async #read(first: number, start: number, end: number): Promise<Buffer> {
    const places = [this.#dir, keptJournals(this.#dir), this.#dir]
    for (const [at, place] of places.entries()) {
      try {
        const chunks: Uint8Array[] = []
        for await (const chunk of this.#files.chunks(journalPath(place, first), start, end))
          chunks.push(chunk)
        return Buffer.concat(chunks)
      } catch (error) {
        if (!isMissing(error)) throw error
        if (at === places.length - 1) break
      }
    }
    throw new JournalGap(`Journal ${first} is no longer there.`)
  }
}
