/** PNG files that a browser can decode. */
import { crc32, deflateSync } from 'node:zlib'

type Color = readonly [red: number, green: number, blue: number]

export const red: Color = [220, 20, 60]
export const blue: Color = [20, 60, 220]

/** A picture whose pixels have the colour that `colorAt` returns. */
export function picture(width: number, height: number, colorAt: (x: number, y: number) => Color): Buffer {
  const rows = Buffer.alloc((width * 3 + 1) * height)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) rows.set(colorAt(x, y), y * (width * 3 + 1) + 1 + x * 3)
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // 8 bits a channel, true colour.
  header.set([8, 2], 8)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** The left half red, the right half blue. */
export function halves(width: number, height: number): Buffer {
  return picture(width, height, (x) => (x < width / 2 ? red : blue))
}

/** A picture that does not compress. */
export function noise(width: number, height: number): Buffer {
  let seed = 1
  const next = () => {
    seed = (seed * 48271) % 0x7fff_ffff
    return seed % 256
  }
  return picture(width, height, () => [next(), next(), next()])
}

/** The width and height of a PNG file. */
export function sizeOf(png: Buffer): readonly [width: number, height: number] {
  return [png.readUInt32BE(16), png.readUInt32BE(20)]
}

function chunk(type: string, content: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type), content])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(content.length)
  checksum.writeUInt32BE(crc32(typed))
  return Buffer.concat([length, typed, checksum])
}
