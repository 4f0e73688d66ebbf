/**
 * Reads the declared size of a picture, so that a small file that unfolds to gigabytes is not decoded. A header that a decoder could
 * read in another way counts as damaged; the memory of the decoder is limited besides (`codec.ts`).
 */
import type { Size } from './presets.ts'

/** Pixels of a picture that is decoded: 4 bytes each, twice at once. A camera's 4032 by 3024 are fewer. */
const maxPixels = 12_600_000
/** A progressive JPEG is decoded as a whole before its first row. */
const maxProgressivePixels = 8_000_000
/** Scans of a JPEG. Encoders write some ten; each costs a pass over the picture, and may have a few bytes only. */
const maxScans = 100
/** Larger files are not read. */
export const maxFileBytes = 10_000_000

/** Whether decoding needs little memory. False for animations, and for types without a decoder. */
export function isDecodable(mediaType: string, file: Buffer): boolean {
  const size = imageSize(mediaType, file)
  if (!size) return false
  const pixels = size.width * size.height
  return pixels > 0 && pixels <= (size.isProgressive ? maxProgressivePixels : maxPixels)
}

interface DeclaredSize extends Size {
  readonly isProgressive?: boolean
}

/** Returns the size that the header of a PNG, JPEG or WebP file declares; undefined for other files and broken headers. */
function imageSize(mediaType: string, file: Buffer): DeclaredSize | undefined {
  try {
    switch (mediaType) {
      case 'image/png':
        return pngSize(file)
      case 'image/jpeg':
        return jpegSize(file)
      case 'image/webp':
        return webpSize(file)
      default:
        return undefined
    }
  } catch (error) {
    // The header ends too early.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const pngStart = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1')

/** The header chunk: PNG specification §11.2.1. */
function pngSize(file: Buffer): Size | undefined {
  if (!startsWith(file, pngStart)) return undefined
  return { width: file.readUInt32BE(16), height: file.readUInt32BE(20) }
}

/** The frame header: ITU-T T.81 §B.2.2. Only tables, comments and application data may stand before it. */
function jpegSize(file: Buffer): DeclaredSize | undefined {
  if (file.readUInt16BE(0) !== 0xffd8) return undefined
  for (let at = 2; file.readUInt8(at) === 0xff; ) {
    const marker = file.readUInt8(at + 1)
    // A fill byte.
    if (marker === 0xff) {
      at++
      continue
    }
    const length = file.readUInt16BE(at + 2)
    if (isFrameHeader(marker)) {
      const [height, width] = [file.readUInt16BE(at + 5), file.readUInt16BE(at + 7)]
      const isWhole = length === 8 + 3 * file.readUInt8(at + 9)
      return isWhole && !hasManyScans(file, at)
        ? { width, height, isProgressive: marker === 0xc2 }
        : undefined
    }
    if (!hasLength(marker) || length < 2) return undefined
    at += 2 + length
  }
  return undefined
}

/** Whether more scans than permitted begin after a position. A byte of 0xff in their data is followed by 0. */
function hasManyScans(file: Buffer, from: number): boolean {
  let scans = 0
  let at = file.indexOf(scanStart, from)
  while (at >= 0 && scans <= maxScans) {
    scans++
    at = file.indexOf(scanStart, at + scanStart.length)
  }
  return scans > maxScans
}

const scanStart = Buffer.from([0xff, 0xda])

/** The frames that are decoded: baseline, extended and progressive, with Huffman codes. */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xc2
}

/** DHT, DQT, DRI, application data and COM. Other markers lack a length, or stand behind the frame. */
function hasLength(marker: number): boolean {
  return [0xc4, 0xdb, 0xdd, 0xfe].includes(marker) || (marker >= 0xe0 && marker <= 0xef)
}

/** The first chunk: RFC 9649 §2.5 to §2.7. Undefined for animations. The decoder compares a canvas with its frame. */
function webpSize(file: Buffer): Size | undefined {
  if (file.toString('latin1', 0, 4) !== 'RIFF' || file.toString('latin1', 8, 12) !== 'WEBP') return undefined
  switch (file.toString('latin1', 12, 16)) {
    case 'VP8 ':
      if (file.readUIntBE(23, 3) !== 0x9d012a) return undefined
      return { width: file.readUInt16LE(26) & 0x3fff, height: file.readUInt16LE(28) & 0x3fff }
    case 'VP8L': {
      if (file.readUInt8(20) !== 0x2f) return undefined
      const bits = file.readUInt32LE(21)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case 'VP8X': {
      const isAnimation = (file.readUInt8(20) & 0x02) !== 0
      if (isAnimation || file.readUInt32LE(16) !== 10) return undefined
      return { width: file.readUIntLE(24, 3) + 1, height: file.readUIntLE(27, 3) + 1 }
    }
    default:
      return undefined
  }
}

function startsWith(file: Buffer, start: Buffer): boolean {
  return file.subarray(0, start.length).equals(start)
}
