/**
 * The journal format: the transactions since the last checkpoint, in append-only files.
 *
 * The first line names the format and the sequence number of the first transaction, and the mark `test` if a network for tests wrote it.
 * Frames follow: a header line (first sequence number, number of transactions, bytes, zero sectors and CRC-32 of the payload) and the
 * payload, shortened transactions, padded to a multiple of 8 bytes. Lines have 64 bytes and end in their own CRC-32.
 *
 * The newest journal may end in zeros, space that is reserved for later frames. A sealed one ends with its last frame.
 *
 * A frame is written only when the one before it is on disk. So a power cut can tear only the last frame of the
 * newest journal, which is then short, or has unwritten sectors that read as zeros: more than the header says. The reader drops such a
 * tail and reports every other mismatch as damage to acknowledged data.
 */
import { crc32 } from 'node:zlib'
import { StoreTooNew } from '../files/store-errors.ts'
import { restore, shorten } from './journal-copies.ts'
import {
  decodeTransactions,
  type EncodedStatement,
  encodeTransactions,
  type Statement,
} from './journal-statements.ts'

export interface Frame {
  /** Sequence number of its first transaction. */
  readonly seq: number
  readonly count: number
  readonly payload: Buffer
}

/** Frames of one journal, from its first one on. */
export interface Frames {
  readonly frames: readonly Frame[]
}

export const formatVersion = 2
export const lineBytes = 64
const lineText = lineBytes - 9
const alignment = 8
const sector = 512

/** The journal fails a check. The message completes a sentence that starts with the file name. */
export class JournalDamage extends Error {}

/** Encodes the first line of a journal. @param isForTests real disks refuse it, as they refuse a database for tests */
export function encodeTitle(firstSeq: number, isForTests = false): Buffer {
  return checkedLine(`pds ${isForTests ? 'test ' : ''}journal ${formatVersion} ${firstSeq}`)
}

/** A frame for one place in a journal, and the texts of statements that the journal has once the frame is on disk. */
interface EncodedFrame {
  readonly bytes: Buffer
  readonly added: readonly string[]
}

/**
 * Encodes transactions as a frame.
 * @param position place of the frame in the file
 * @param texts numbers of the texts that the journal has
 */
export function encodeFrame(
  seq: number,
  transactions: readonly (readonly EncodedStatement[])[],
  position: number,
  texts: ReadonlyMap<string, number>,
): EncodedFrame {
  const { bytes, added } = encodeTransactions(transactions, texts)
  const body = shorten(bytes)
  // Each byte of the padding has its length, so that a frame does not end in zeros.
  const padding = alignment - (body.length % alignment)
  const payload = Buffer.concat([body, Buffer.alloc(padding, padding)])
  const zeros = countZeroSectors(payload, position + lineBytes)
  const header = `frame ${seq} ${transactions.length} ${payload.length} ${zeros} ${hex(crc32(payload))}`
  return { bytes: Buffer.concat([checkedLine(header), payload]), added }
}

/**
 * Decodes the transactions of a journal, with their sequence numbers. Throws for a text that the journal does not have.
 * @param texts gets the texts of the journal, in the order of their numbers
 */
export function* decodeFrames(
  { frames }: Frames,
  texts: string[] = [],
): Generator<{ seq: number; statements: Statement[] }> {
  for (const { seq, payload } of frames) {
    const transactions = decodeTransactions(restore(withoutPadding(payload)), texts)
    for (const [at, statements] of transactions.entries()) yield { seq: seq + at, statements }
  }
}

function withoutPadding(payload: Buffer): Buffer {
  return payload.subarray(0, payload.length - (payload.at(-1) ?? 0))
}

/**
 * Returns the frames of a journal and the bytes that they and the first line take (0 if the first line is torn). Throws
 * JournalDamage for every mismatch that a power cut does not explain; in an older journal, for every mismatch.
 */
export function readJournal(
  content: Uint8Array,
  firstSeq: number,
  newest: boolean,
): Frames & { length: number } {
  const bytes = asBuffer(content)
  const title = readTitle(bytes)
  if (title === undefined) {
    if (newest && isTorn(bytes, 0)) return { frames: [], length: 0 }
    throw new JournalDamage('has an unreadable first line')
  }
  const { format } = title
  if (format > formatVersion) throw new StoreTooNew(`Journal ${firstSeq}`, format, formatVersion)
  if (title.firstSeq !== firstSeq) throw new JournalDamage('has the name of another journal')

  const frames: Frame[] = []
  let at = lineBytes
  let seq = firstSeq
  while (at < bytes.length) {
    const frame = readFrame(bytes, at)
    if (frame === undefined) {
      if (newest && isTorn(bytes, at)) break
      throw new JournalDamage(`fails its check at byte ${at}`)
    }
    if (frame.seq !== seq) throw new JournalDamage(`skips from transaction ${seq - 1} to ${frame.seq}`)
    frames.push(frame)
    seq += frame.count
    at += lineBytes + frame.payload.length
  }
  return { frames, length: at }
}

/** A frame at the end of the newest journal that is incomplete, and therefore dropped. */
export interface TornTail {
  /** Number of its last transaction; undefined if its header is incomplete, too. */
  readonly upTo: number | undefined
}

/** Returns the torn frame that follows the whole ones, which end at `at`; undefined if only reserved space follows. */
export function readTail(content: Uint8Array, at: number): TornTail | undefined {
  const bytes = asBuffer(content)
  if (isZero(bytes, at, bytes.length)) return undefined
  const header = readFrameHeader(bytes, at)
  return { upTo: header && header.seq + header.count - 1 }
}

/** Reads sealed journals that follow each other. @throws JournalDamage, StoreTooNew */
export function* readJournals(content: Uint8Array): Generator<Frames> {
  const bytes = asBuffer(content)
  for (let start = 0, at = 0; start < bytes.length; start = at) {
    const title = readTitle(bytes.subarray(start))
    if (title === undefined) throw new JournalDamage(`has no first line at byte ${start}`)
    at = start + lineBytes
    for (let header = readFrameHeader(bytes, at); header; header = readFrameHeader(bytes, at)) {
      at += lineBytes + header.length
    }
    yield readJournal(bytes.subarray(start, at), title.firstSeq, false)
  }
}

/** A journal that may be damaged, and its frames before the first damage. */
export interface Scanned extends Frames {
  /** Number of the last transaction of which a trace is left. */
  readonly lastSeq: number
  readonly isWhole: boolean
  /** Whether `lastSeq` is the last transaction that was written: the newest frame says how many it has. */
  readonly isCounted: boolean
}

/** Reads a journal that may be damaged. A torn tail does not count as damage: it was never acknowledged. */
export function scanJournal(content: Uint8Array, firstSeq: number): Scanned {
  const bytes = asBuffer(content)
  const title = readTitle(bytes)
  const isTitled = title?.firstSeq === firstSeq && title.format <= formatVersion
  const frames: Frame[] = []
  let at = lineBytes
  let seq = firstSeq
  while (isTitled && at < bytes.length) {
    const frame = readFrame(bytes, at)
    if (frame?.seq !== seq) break
    frames.push(frame)
    seq += frame.count
    at += lineBytes + frame.payload.length
  }
  const isWhole = isTitled ? at >= bytes.length || isTorn(bytes, at) : isTorn(bytes, 0)
  if (isWhole) return { frames, lastSeq: seq - 1, isWhole, isCounted: true }
  let lastSeq = seq - 1
  let end = at
  for (let next = isTitled ? at : 0; next + lineBytes <= bytes.length; next += alignment) {
    const header = bytes[next] === 0 ? undefined : readFrameHeader(bytes, next)
    if (header === undefined || header.seq <= lastSeq) continue
    lastSeq = header.seq + header.count - 1
    end = next + lineBytes + header.length
  }
  const isCounted = lastSeq >= seq && isZero(bytes, Math.min(end, bytes.length), bytes.length)
  // At least the transaction that failed its check.
  return { frames, lastSeq: Math.max(lastSeq, isTitled ? seq : seq - 1), isWhole, isCounted }
}

/** Reads the frame at a place; undefined if it does not verify. */
export function readFrame(bytes: Buffer, at: number): Frame | undefined {
  const header = readFrameHeader(bytes, at)
  if (header === undefined) return undefined
  const start = at + lineBytes
  const payload = bytes.subarray(start, start + header.length)
  if (payload.length < header.length || hex(crc32(payload)) !== header.crc) return undefined
  return { seq: header.seq, count: header.count, payload }
}

/** Reads the first line of a journal, at the start of `bytes`. */
export function readTitle(
  bytes: Buffer,
): { format: number; firstSeq: number; isForTests: boolean } | undefined {
  const [title, mark, format, firstSeq] =
    /^pds (test )?journal (\d+) (\d+)$/.exec(readLine(bytes, 0) ?? '') ?? []
  if (title === undefined) return undefined
  return { format: Number(format), firstSeq: Number(firstSeq), isForTests: mark !== undefined }
}

/** Whether a network for tests wrote a journal. */
export function isJournalForTests(content: Uint8Array): boolean {
  return readTitle(asBuffer(content))?.isForTests === true
}

/** Reads the first line of a frame, with the length of its payload; undefined if it does not verify. */
export function readFrameHeader(bytes: Buffer, at: number) {
  const fields = /^frame (\d+) (\d+) (\d+) (\d+) ([0-9a-f]{8})$/.exec(readLine(bytes, at) ?? '')
  if (fields === null) return undefined
  const [, seq, count, length, zeros, crc] = fields
  return { seq: Number(seq), count: Number(count), length: Number(length), zeros: Number(zeros), crc }
}

/** Whether the bytes from `at` on are reserved space, or a frame (or first line) that a power cut has torn. */
function isTorn(bytes: Buffer, at: number): boolean {
  if (bytes.length - at < lineBytes) return true
  const start = at + lineBytes
  const header = readFrameHeader(bytes, at)
  if (header === undefined) {
    return countZeroSectors(bytes.subarray(at, start), at) > 0 && !hasFrameAfter(bytes, at)
  }
  const end = start + header.length
  if (end > bytes.length) return true
  return (
    countZeroSectors(bytes.subarray(start, end), start) > header.zeros && isZero(bytes, end, bytes.length)
  )
}

/**
 * Counts the sectors of a file of which these bytes, from `position` on, have only zeros. Frames start at multiples of 8, so their part
 * of a sector has at least 8 bytes.
 */
function countZeroSectors(bytes: Buffer, position: number): number {
  let count = 0
  for (let start = 0; start < bytes.length; ) {
    const end = Math.min(bytes.length, start + sector - ((position + start) % sector))
    if (isZero(bytes, start, end)) count++
    start = end
  }
  return count
}

function isZero(bytes: Buffer, from: number, to: number): boolean {
  return bytes.subarray(from, to).every((byte) => byte === 0)
}

function hasFrameAfter(bytes: Buffer, at: number): boolean {
  for (let next = at + alignment; next + lineBytes <= bytes.length; next += alignment) {
    if (bytes[next] !== 0 && readFrameHeader(bytes, next) !== undefined) return true
  }
  return false
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

function checkedLine(text: string): Buffer {
  const padded = text.padEnd(lineText)
  return Buffer.from(`${padded}${hex(crc32(padded))}\n`)
}

function readLine(bytes: Buffer, at: number): string | undefined {
  if (at + lineBytes > bytes.length) return undefined
  const text = bytes.toString('latin1', at, at + lineText)
  const check = bytes.toString('latin1', at + lineText, at + lineBytes)
  return check === `${hex(crc32(bytes.subarray(at, at + lineText)))}\n` ? text.trimEnd() : undefined
}

function hex(crc: number): string {
  return crc.toString(16).padStart(8, '0')
}
