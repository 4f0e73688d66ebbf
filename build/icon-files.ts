/** Icon file formats of Windows and macOS. Both hold PNGs of several sizes. */

export interface Image {
  /** Width and height in pixels. */
  readonly size: number
  readonly png: Buffer
}

/** Encodes a Windows icon: 6 bytes of header, 16 bytes per directory entry, the images. Little-endian; 0 means 256 pixels. */
export function ico(images: readonly Image[]): Buffer {
  const directory = Buffer.alloc(6 + 16 * images.length)
  directory.writeUInt16LE(1, 2)
  directory.writeUInt16LE(images.length, 4)
  let offset = directory.length
  for (const [i, { size, png }] of images.entries()) {
    const at = 6 + 16 * i
    directory.writeUInt8(size % 256, at)
    directory.writeUInt8(size % 256, at + 1)
    // One plane, 32 bits per pixel.
    directory.writeUInt16LE(1, at + 4)
    directory.writeUInt16LE(32, at + 6)
    directory.writeUInt32LE(png.length, at + 8)
    directory.writeUInt32LE(offset, at + 12)
    offset += png.length
  }
  return Buffer.concat([directory, ...images.map(({ png }) => png)])
}

/** Types by size in pixels: for normal screens and for screens with two pixels per point. */
const icnsTypes: Readonly<Record<number, readonly string[]>> = {
  32: ['ic11'],
  64: ['ic12'],
  128: ['ic07'],
  256: ['ic08', 'ic13'],
  512: ['ic09', 'ic14'],
  1024: ['ic10'],
}

/** Encodes a macOS icon: parts of a four-letter type, the length including these 8 bytes, and the content. Big-endian. */
export function icns(images: readonly Image[]): Buffer {
  const parts = images.flatMap(({ size, png }) => (icnsTypes[size] ?? []).map((type) => part(type, png)))
  return part('icns', Buffer.concat(parts))
}

function part(type: string, content: Buffer): Buffer {
  const head = Buffer.from(`${type}\0\0\0\0`, 'latin1')
  head.writeUInt32BE(head.length + content.length, 4)
  return Buffer.concat([head, content])
}
