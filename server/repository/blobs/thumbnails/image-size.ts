/** Reads the declared size of a picture, so that a small file that unfolds to gigabytes is never decoded. */
import type { Size } from './presets.ts'

/** Pixels of a picture that is decoded: 4 bytes each, twice at once. A camera's 4032 by 3024 are fewer. */
const maxPixels = 12_600_000
/** A progressive JPEG is decoded as a whole before its first row. */
const maxProgressivePixels = 8_000_000
const maxFileBytes = 10_000_000

/** Whether decoding needs little memory. False for files that no decoder is for, and for animations. */
export function isDecodable(mediaType: string, file: Buffer): boolean {
  const size = imageSize(mediaType, file)
  if (!size || file.length > maxFileBytes) return false
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
        return { width: file.readUInt32BE(16), height: file.readUInt32BE(20) }
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

/** The first frame header: ITU-T T.81 §B.2.2. */
function jpegSize(file: Buffer): DeclaredSize | undefined {
  for (let at = 2; file.readUInt8(at) === 0xff; ) {
    const marker = file.readUInt8(at + 1)
    if (isFrameHeader(marker)) {
      const [height, width] = [file.readUInt16BE(at + 5), file.readUInt16BE(at + 7)]
      return { width, height, isProgressive: (marker & 0x03) === 0x02 }
    }
    // A fill byte stands before a marker; a scan before the frame header is invalid.
    if (marker === 0xda) return undefined
    at += marker === 0xff ? 1 : 2 + file.readUInt16BE(at + 2)
  }
  return undefined
}

/** SOF0 to SOF15, without the tables among them: DHT, JPG and DAC. */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
}

/** The first chunk: RFC 9649 §2.5 to §2.7. Undefined for animations. */
function webpSize(file: Buffer): Size | undefined {
  switch (file.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: file.readUInt16LE(26) & 0x3fff, height: file.readUInt16LE(28) & 0x3fff }
    case 'VP8L': {
      const bits = file.readUInt32LE(21)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case 'VP8X': {
      const isAnimation = (file.readUInt8(20) & 0x02) !== 0
      if (isAnimation) return undefined
      return { width: file.readUIntLE(24, 3) + 1, height: file.readUIntLE(27, 3) + 1 }
    }
    default:
      return undefined
  }
}
