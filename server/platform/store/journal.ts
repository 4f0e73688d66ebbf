/**
 * The journal format: the transactions since the snapshot, in append-only files.
 *
 * A journal is text. Its first line names the format and the sequence number of its first transaction. Frames
 * follow: a header line (first sequence number, number of transactions, bytes and CRC-32 of the payload) and the
 * payload, a JSON array of transactions, each an array of `[sql, params]`. Header lines are 64 bytes and end in
 * their own CRC-32; payloads are padded to a multiple of 8 bytes. The text contains no zero byte.
 *
 * The newest journal may end in zeros, space that is reserved for later frames. A sealed one ends with its last frame.
 *
 * A frame is written only when the one before it is on disk. So a power cut can tear only the last frame of the
 * newest journal, which is then short, or has unwritten sectors that read as zeros. The reader drops such a tail and
 * reports every other mismatch as damage to acknowledged data.
 */
import { crc32 } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import { StoreTooNew } from './errors.ts'
import type { SqlParams, SqlValue } from './sqlite.ts'

export type Statement = readonly [sql: string, params: SqlParams]

export interface Frame {
  /** Sequence number of its first transaction. */
  readonly seq: number
  readonly count: number
  readonly payload: Buffer
}

const formatVersion = 1
export const lineBytes = 64
const lineText = lineBytes - 9
const alignment = 8
const sector = 512

/** The journal fails a check. The message completes a sentence that starts with the file name. */
export class JournalDamage extends Error {}

/** Encodes one statement as JSON at once, so that the caller may change its arrays later. */
export function encodeStatement(sql: string, params: SqlParams): string {
  let json = `[${encodeSql(sql)},[`
  for (const [at, value] of params.entries()) json += at === 0 ? encodeValue(value) : `,${encodeValue(value)}`
  return `${json}]]`
}

/** The statements of a program are few, and long. */
const encodedSql = new LRUCache<string, string>({ max: 500 })

function encodeSql(sql: string): string {
  const known = encodedSql.get(sql)
  if (known !== undefined) return known
  const json = JSON.stringify(sql)
  encodedSql.set(sql, json)
  return json
}

/** Base64 needs no escapes: JSON.stringify would search for them, in most bytes of the journal. */
function encodeValue(value: SqlValue): string {
  return value instanceof Uint8Array
    ? `{"base64":"${asBuffer(value).toString('base64')}"}`
    : JSON.stringify(value)
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

/** Encodes the first line of a journal. */
export function encodeTitle(firstSeq: number): Buffer {
  return checkedLine(`pds journal ${formatVersion} ${firstSeq}`)
}

/**
 * Encodes a frame of transactions, each a JSON array of encoded statements.
 * @param into the result is a part of this buffer, if it is large enough
 */
export function encodeFrame(
  seq: number,
  transactions: readonly string[],
  into: Buffer = Buffer.alloc(0),
): Buffer {
  const json = `[${transactions.join(',')}]`
  const bytes = Buffer.byteLength(json)
  const padding = alignment - ((bytes + 1) % alignment)
  const end = lineBytes + bytes + padding + 1
  const frame = (into.length < end ? Buffer.allocUnsafeSlow(end) : into).subarray(0, end)
  frame.write(json, lineBytes)
  frame.fill(' ', end - padding - 1, end - 1)
  frame.write('\n', end - 1)
  const payload = frame.subarray(lineBytes)
  checkedLine(`frame ${seq} ${transactions.length} ${payload.length} ${hex(crc32(payload))}`).copy(frame)
  return frame
}

/** Decodes the transactions of a frame. */
export function decodeFrame(frame: Frame): Statement[][] {
  const transactions = JSON.parse(frame.payload.toString()) as [string, (SqlValue | { base64: string })[]][][]
  return transactions.map((statements) =>
    statements.map(([sql, params]) => [sql, params.map(decodeValue)] as const),
  )
}

function decodeValue(value: SqlValue | { base64: string }): SqlValue {
  return value !== null && typeof value === 'object' && 'base64' in value
    ? Buffer.from(value.base64, 'base64')
    : value
}

/**
 * Returns the frames of a journal and the bytes that they and the first line take (0 if the first line is torn). Throws
 * JournalDamage for every mismatch that a power cut does not explain; in a journal that is not the newest, for every one.
 */
export function readJournal(
  content: Uint8Array,
  firstSeq: number,
  newest: boolean,
): { frames: Frame[]; length: number } {
  const bytes = asBuffer(content)
  const title = /^pds journal (\d+) (\d+)$/.exec(readLine(bytes, 0) ?? '')
  if (title === null) {
    if (newest && isTorn(bytes, 0)) return { frames: [], length: 0 }
    throw new JournalDamage('has an unreadable first line')
  }
  if (Number(title[1]) > formatVersion) {
    throw new StoreTooNew(`Journal ${firstSeq}`, Number(title[1]), formatVersion)
  }
  if (Number(title[2]) !== firstSeq) throw new JournalDamage('has the name of another journal')

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

export interface Scanned {
  /** The frames before the first damage. */
  readonly frames: readonly Frame[]
  /** Number of the last transaction of which a trace is left. */
  readonly lastSeq: number
  readonly isWhole: boolean
  /** Whether `lastSeq` is the last transaction that was written: the newest frame says how many it has. */
  readonly isCounted: boolean
}

/** Reads a journal that may be damaged. A torn tail, which was never acknowledged, is no damage. */
export function scanJournal(content: Uint8Array, firstSeq: number): Scanned {
  const bytes = asBuffer(content)
  const title = readLine(bytes, 0)
  const isTitled = title === `pds journal ${formatVersion} ${firstSeq}`
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

function readFrame(bytes: Buffer, at: number): Frame | undefined {
  const header = readFrameHeader(bytes, at)
  if (header === undefined) return undefined
  const start = at + lineBytes
  const payload = bytes.subarray(start, start + header.length)
  if (payload.length < header.length || hex(crc32(payload)) !== header.crc) return undefined
  return { seq: header.seq, count: header.count, payload }
}

function readFrameHeader(bytes: Buffer, at: number) {
  const fields = /^frame (\d+) (\d+) (\d+) ([0-9a-f]{8})$/.exec(readLine(bytes, at) ?? '')
  if (fields === null) return undefined
  const [, seq, count, length, crc] = fields
  return { seq: Number(seq), count: Number(count), length: Number(length), crc }
}

/** Whether the bytes from `at` on are reserved space, or a frame (or first line) that a power cut has torn. */
function isTorn(bytes: Buffer, at: number): boolean {
  if (bytes.length - at < lineBytes) return true
  const header = readFrameHeader(bytes, at)
  if (header === undefined) return hasUnwrittenSector(bytes, at, at + lineBytes) && !hasFrameAfter(bytes, at)
  const end = at + lineBytes + header.length
  return end > bytes.length || (hasUnwrittenSector(bytes, at, end) && isZero(bytes, end, bytes.length))
}

/** Frames start at multiples of 8, so the part of a frame in one sector has at least 8 bytes. */
function hasUnwrittenSector(bytes: Buffer, from: number, to: number): boolean {
  for (let start = from; start < to; ) {
    const end = Math.min(to, start - (start % sector) + sector)
    if (end - start >= alignment && isZero(bytes, start, end)) return true
    start = end
  }
  return false
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
