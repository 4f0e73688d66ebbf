/**
 * Checks the sample tables of MP4 and QuickTime files (ISO/IEC 14496-12 §8.6 to §8.8) before they are read: a few bytes of a table can
 * name billions of samples. WebM and Matroska files pass: their samples are in the file one by one.
 */
import type { ReadableFile } from '../../../store/files/files.ts'

/** Boxes in which the reader of videos looks for other boxes: a table in any of them counts. */
const containers: ReadonlySet<string> = new Set([
  'dinf',
  'sinf',
  'schi',
  'wave',
  'moov',
  'trak',
  'mdia',
  'minf',
  'stbl',
  'edts',
  'mvex',
  'moof',
  'traf',
  'mfra',
])
/** Boxes at the top of a file that are read into memory. An hour of film has tables of 2 MB. */
const maxIndexBytes = 16_000_000

/** Totals of the samples that the tables of a file name. */
interface Named {
  /** Bytes of the file. */
  readonly size: number
  samples: number
  bytes: number
  /** Samples of the track that is being read. */
  ofTrack: number
}

/** @throws for a table that names more than the file has, or more than its box has */
export function checkSampleTables(file: ReadableFile): void {
  const named: Named = { size: file.size(), samples: 0, bytes: 0, ofTrack: 0 }
  if (read(file, 0, 4).equals(matroskaMagic)) return
  for (let at = 0; at + 8 <= named.size; ) {
    const head = read(file, at, Math.min(16, named.size - at))
    const { type, start, end } = boxAt(head, 0, named.size - at)
    if (containers.has(type)) {
      if (end > maxIndexBytes) throw new Error('The tables of the video are too large')
      checkBoxes(read(file, at, end).subarray(start), named)
    }
    at += end
  }
}

/** The first bytes of WebM and Matroska files (RFC 8794 §11.2.1). */
const matroskaMagic = Buffer.from('1a45dfa3', 'hex')

function read(file: ReadableFile, position: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes)
  return buffer.subarray(0, file.readBlocking(buffer, position))
}

/** @param available bytes up to the end of the file or of the box around */
function boxAt(bytes: Buffer, at: number, available: number) {
  const short = bytes.readUInt32BE(at)
  const type = bytes.toString('latin1', at + 4, at + 8)
  const start = short === 1 ? 16 : 8
  // 0: up to the end.
  const end = short === 1 ? Number(bytes.readBigUInt64BE(at + 8)) : short === 0 ? available : short
  if (end < start || end > available) throw new Error(`The box ${type} of the video does not fit`)
  return { type, start, end }
}

function checkBoxes(boxes: Buffer, named: Named): void {
  for (let at = 0; at + 8 <= boxes.length; ) {
    const { type, start, end } = boxAt(boxes, at, boxes.length - at)
    const content = boxes.subarray(at + start, at + end)
    if (type === 'trak') named.ofTrack = 0
    if (containers.has(type)) checkBoxes(content, named)
    else tables[type]?.(content, named)
    if (named.samples > named.size || named.bytes > named.size) {
      throw new Error(`The table ${type} of the video names more samples than the file has bytes`)
    }
    at += end
  }
}

/** Of a track, each table names all samples again. */
function nameSamples(named: Named, count: number): void {
  const more = Math.max(0, count - named.ofTrack)
  named.ofTrack += more
  named.samples += more
}

const tables: Readonly<Record<string, (content: Buffer, named: Named) => void>> = {
  stts: (content, named) => nameSamples(named, sumOf(content, 8)),
  ctts: (content, named) => nameSamples(named, sumOf(content, 8)),
  stss: (content) => void entriesOf(content, 4, 4),
  stco: (content) => void entriesOf(content, 4, 4),
  co64: (content) => void entriesOf(content, 4, 8),
  elst: (content) => void entriesOf(content, 4, content.readUInt8(0) === 1 ? 20 : 12),
  stsc(content, named) {
    let last = 0
    for (const at of entriesOf(content, 4, 12)) {
      const first = content.readUInt32BE(at)
      if (first <= last || first > named.size) throw new Error('The chunks of the video are not in order')
      nameSamples(named, content.readUInt32BE(at + 4))
      last = first
    }
  },
  stsz(content, named) {
    const [each, count] = [content.readUInt32BE(4), content.readUInt32BE(8)]
    nameSamples(named, count)
    if (each > 0) named.bytes += each * count
    else for (const at of entriesOf(content, 8, 4)) named.bytes += content.readUInt32BE(at)
  },
  stz2(content, named) {
    const count = content.readUInt32BE(8)
    if ((count * content.readUInt8(7)) / 8 > content.length - 12) throw tooShort()
    nameSamples(named, count)
  },
  trun(content, named) {
    const [flags, count] = [content.readUIntBE(1, 3), content.readUInt32BE(4)]
    const head = 8 + (flags & 0x001 ? 4 : 0) + (flags & 0x004 ? 4 : 0)
    const fields = [0x100, 0x200, 0x400, 0x800].filter((flag) => flags & flag)
    if (head + count * fields.length * 4 > content.length) throw tooShort()
    named.samples += count
    if (!(flags & 0x200)) return
    const sizeAt = flags & 0x100 ? 4 : 0
    for (let i = 0; i < count; i++) {
      named.bytes += content.readUInt32BE(head + i * fields.length * 4 + sizeAt)
    }
  },
}

/** Returns the positions of the entries of a table. @param countAt where their number is @throws if they do not fit */
function entriesOf(content: Buffer, countAt: number, bytes: number): Iterable<number> {
  const start = countAt + 4
  const count = content.readUInt32BE(countAt)
  if (start + count * bytes > content.length) throw tooShort()
  return positions(start, count, bytes)
}

function* positions(start: number, count: number, bytes: number): Generator<number> {
  for (let i = 0; i < count; i++) yield start + i * bytes
}

function sumOf(content: Buffer, bytes: number): number {
  let sum = 0
  for (const at of entriesOf(content, 4, bytes)) sum += content.readUInt32BE(at)
  return sum
}

function tooShort(): Error {
  return new Error('A table of the video has fewer entries than it names')
}
