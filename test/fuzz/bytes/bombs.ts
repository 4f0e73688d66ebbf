/** Small files that declare large contents: a reader that trusts them would take gigabytes or minutes. */
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { fitChecksums } from './mutate.ts'
import type { Format, Samples } from './samples.ts'

export interface Bomb {
  readonly name: string
  readonly format: Format
  readonly content: Buffer
}

const huge = 0xffff_ffff
const zeros = Buffer.alloc(64_000_000)

export function makeBombs(samples: Samples): Bomb[] {
  const bombs: Bomb[] = []
  const add = (format: Format, name: string, content: Buffer) => bombs.push({ format, name, content })
  const edited = (format: Format, edit: (file: Buffer) => unknown, sample = 0): Buffer => {
    const file = Buffer.from(samples[format][sample] as Buffer)
    edit(file)
    return file
  }
  for (const marker of [0x01, 0xd0, 0xd7, 0xd8, 0xd9, 0x00]) {
    add('jpeg', `marker ${marker} without a length hides the frame header`, hiddenFrame(marker))
  }
  const frame = frameHeader(22_000, 22_000)
  add(
    'jpeg',
    'huge frame',
    edited('jpeg', (file) => frame.copy(file, file.indexOf(Buffer.from([0xff, 0xc0])), 0, 9)),
  )
  add('jpeg', 'second frame', Buffer.concat([jpegOf(frameHeader(100, 100), frame), Buffer.alloc(30_000)]))
  add(
    'jpeg',
    'height that a later DNL marker declares',
    jpegOf(frameHeader(60_000, 0), Buffer.from([0xff, 0xdc, 0, 4, 0xff, 0xff])),
  )
  add(
    'jpeg',
    'huge progressive frame',
    edited('jpeg', (file) => frame.copy(file, file.indexOf(Buffer.from([0xff, 0xc2])) + 2, 2, 9), 1),
  )

  const png = (edit: (file: Buffer) => unknown) => {
    const file = edited('png', edit)
    fitChecksums(file)
    return file
  }
  const size = (width: number, height: number) => (file: Buffer) => {
    file.writeUInt32BE(width, 16)
    file.writeUInt32BE(height, 20)
  }
  add('png', 'huge header', png(size(0x7fff_ffff, 0x7fff_ffff)))
  add('png', 'a row of many pixels', png(size(12_600_000, 1)))
  add('png', 'the largest permitted size', png(size(4200, 3000)))
  add(
    'png',
    'the same, interlaced, 16 bits',
    png((file) => {
      size(4200, 3000)(file)
      file.set([16, 6, 0, 0, 1], 24)
    }),
  )

  const extended = (width: number, height: number) => {
    const [head, frameChunk] = [Buffer.alloc(30), samples.webp[0]?.subarray(12) as Buffer]
    head.write('RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0', 'latin1')
    head.writeUInt32LE(22 + frameChunk.length, 4)
    head.writeUIntLE(width - 1, 24, 3)
    head.writeUIntLE(height - 1, 27, 3)
    return Buffer.concat([head, frameChunk])
  }
  add('webp', 'canvas of another size than its frame', extended(10, 10))
  add('webp', 'huge canvas', extended(16_777_216, 16_777_216))
  add('webp', 'small canvas around a huge frame', lieOfFrame(extended(160, 120)))
  add(
    'webp',
    'huge frame',
    edited('webp', (file) => file.writeUInt32LE(0x3fff_3fff, 26)),
  )
  add(
    'webp',
    'huge lossless frame',
    edited('webp', (file) => file.writeUInt32LE(0x0fff_ffff, 21), 1),
  )

  add(
    'gif',
    'huge screen',
    edited('gif', (file) => file.writeUInt32LE(huge, 6)),
  )
  add(
    'gif',
    'frame larger than the screen',
    edited('gif', (file) => file.writeUInt32LE(huge, 28)),
  )
  add(
    'avif',
    'huge picture',
    edited('avif', (file) => file.fill(0xff, file.indexOf('ispe') + 8, file.indexOf('ispe') + 16)),
  )

  const table = (type: string, offset: number, value = huge) =>
    edited('mp4', (file) => file.writeUInt32BE(value, file.indexOf(type) + 4 + offset))
  add('mp4', 'stts with 2^32 - 1 samples', table('stts', 8))
  for (const [type, offset] of [
    ['stts', 4],
    ['stsz', 4],
    ['stsz', 8],
    ['stsc', 4],
    ['stsc', 8],
    ['stsc', 12],
    ['stco', 4],
    ['stss', 4],
    ['ctts', 4],
    ['ctts', 8],
    ['elst', 4],
  ] as const) {
    if (samples.mp4[0]?.includes(type)) add('mp4', `${type} with ${huge} at ${offset}`, table(type, offset))
  }
  add(
    'mp4',
    'stsz with one size for many samples',
    edited('mp4', (file) => {
      const at = file.indexOf('stsz') + 8
      file.writeUInt32BE(1000, at)
      file.writeUInt32BE(0x00ff_ffff, at + 4)
    }),
  )
  for (const flags of [0x000, 0x200, 0x301])
    add('mp4', `trun with flags ${flags} and 2^32 - 1 samples`, fragmented(samples, flags))
  add('mp4', 'huge box', table('moov', -8))

  add(
    'car',
    'huge header',
    Buffer.concat([Buffer.from([0xff, 0xff, 0xff, 0xff, 0x7f]), samples.car[0] as Buffer]),
  )
  add('car', 'endless varint', Buffer.alloc(1000, 0xff))
  add(
    'car',
    'huge block',
    Buffer.concat([samples.car[0] as Buffer, Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f])]),
  )
  add('cbor', 'lists in lists', Buffer.alloc(500_000, 0x81))
  add('cbor', 'maps in maps', Buffer.from('a16161'.repeat(200_000), 'hex'))
  add('cbor', 'huge list', Buffer.from([0x9b, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff]))
  add('cbor', 'huge text', Buffer.from([0x7b, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff]))
  add('cbor', 'huge map', Buffer.from([0xbb, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff]))

  const sqlite = Buffer.from('SQLite format 3\0')
  add('zstd', 'zeros', zstdCompressSync(zeros))
  add('zstd', 'zeros after the head of a database', zstdCompressSync(Buffer.concat([sqlite, zeros])))
  add('zstd', 'declares all pages', zstdCompressSync(Buffer.concat([sqlite, Buffer.alloc(84, 0xff), zeros])))
  add(
    'zstd',
    'huge window',
    edited('zstd', (file) => file.set([0x00, 0xf8], 4)),
  )
  add('tar', 'huge size', gzipSync(tarOf(samples, zeros.subarray(0, 1000), 2 ** 40)))
  add('tar', 'large extended header', gzipSync(tarOf(samples, zeros, zeros.length, 'x')))
  add('tar', 'zeros', gzipSync(tarOf(samples, zeros)))
  return bombs
}

function segment(marker: number, content: readonly number[]): Buffer {
  const length = content.length + 2
  return Buffer.from([0xff, marker, length >> 8, length & 0xff, ...content])
}

function frameHeader(width: number, height: number): Buffer {
  return segment(0xc0, [8, height >> 8, height & 0xff, width >> 8, width & 0xff, 1, 1, 0x11, 0])
}

/** A grey JPEG whose scan has no data. */
function jpegOf(...frames: Buffer[]): Buffer {
  const code = [1, ...new Array(15).fill(0), 0]
  const tables = [
    segment(0xdb, [0, ...new Array(64).fill(1)]),
    segment(0xc4, [0, ...code]),
    segment(0xc4, [0x10, ...code]),
  ]
  const scan = segment(0xda, [1, 1, 0, 0, 63, 0])
  return Buffer.concat([Buffer.from([0xff, 0xd8]), ...frames, ...tables, scan, Buffer.alloc(30_000)])
}

/** For a reader that takes a length after the marker, the first frame header is small and far behind. */
export function hiddenFrame(marker: number, width = 22_000, height = 22_000): Buffer {
  const [real, fake] = [jpegOf(frameHeader(width, height)).subarray(2, 200), frameHeader(100, 100)]
  const file = Buffer.alloc(4 + 0xffc0 + fake.length + 10)
  Buffer.from([0xff, 0xd8, 0xff, marker]).copy(file)
  real.copy(file, 4)
  fake.copy(file, 4 + 0xffc0)
  return file
}

function lieOfFrame(file: Buffer): Buffer {
  file.writeUInt32LE(0x3fff_3fff, file.indexOf(Buffer.from([0x9d, 0x01, 0x2a])) + 3)
  return file
}

/** The film, then a fragment of its first track. */
function fragmented(samples: Samples, flags: number): Buffer {
  const box = (type: string, content: Buffer) => {
    const head = Buffer.alloc(8)
    head.writeUInt32BE(8 + content.length)
    head.write(type, 4, 'latin1')
    return Buffer.concat([head, content])
  }
  const words = (...values: number[]) => {
    const content = Buffer.alloc(values.length * 4)
    for (const [i, value] of values.entries()) content.writeUInt32BE(value, i * 4)
    return content
  }
  const header = box('tfhd', words(0x38, 1, 1000, 0, 0x0200_0000))
  const traf = box('traf', Buffer.concat([header, box('trun', words(flags, huge, 0, 0, 0))]))
  return Buffer.concat([
    samples.mp4[0] as Buffer,
    box('moof', Buffer.concat([box('mfhd', words(0, 1)), traf])),
  ])
}

/** An archive of a file that declares a size and a type: `x` is an extended header. */
function tarOf({ tar: [sample] }: Samples, content: Buffer, size = content.length, type = '0'): Buffer {
  const head = Buffer.from(sample?.subarray(0, 512) ?? [])
  head.writeUIntBE(0x8000_0000_0000, 124, 6)
  head.writeUIntBE(size, 130, 6)
  head.write(type, 156)
  head.write(' '.repeat(8), 148)
  const sum = head.reduce((total, byte) => total + byte)
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return Buffer.concat([head, content, Buffer.alloc(1024 + (512 - (content.length % 512)))])
}
