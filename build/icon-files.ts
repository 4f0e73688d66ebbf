/** The icon files of Windows and macOS: both are a list of PNGs in several sizes. */

export interface Image {
  /** Width and height in pixels. */
  readonly size: number
  readonly png: Buffer
}

/** A Windows icon: 6 bytes of header, 16 a directory entry, the images. Little-endian; 0 stands for 256 pixels. */
export function ico(images: readonly Image[]): Buffer {
  const directory = Buffer.alloc(6 + 16 * images.length)
  directory.writeUInt16LE(1, 2)
  directory.writeUInt16LE(images.length, 4)
  let offset = directory.length
  for (const [i, { size, png }] of images.entries()) {
    const at = 6 + 16 * i
    directory.writeUInt8(size % 256, at)
    directory.writeUInt8(size % 256, at + 1)
    // One plane of 32 bits a pixel.
    directory.writeUInt16LE(1, at + 4)
    directory.writeUInt16LE(32, at + 6)
    directory.writeUInt32LE(png.length, at + 8)
    directory.writeUInt32LE(offset, at + 12)
    offset += png.length
  }
  return Buffer.concat([directory, ...images.map(({ png }) => png)])
}

/** By size: plain ones, and those for screens with two pixels a point. */
const icnsTypes: Readonly<Record<number, readonly string[]>> = {
  32: ['ic11'],
  64: ['ic12'],
  128: ['ic07'],
  256: ['ic08', 'ic13'],
  512: ['ic09', 'ic14'],
  1024: ['ic10'],
}

/** A macOS icon: each part has a type of four letters, its length with these 8 bytes, its content. Big-endian. */
export function icns(images: readonly Image[]): Buffer {
  const parts = images.flatMap(({ size, png }) => (icnsTypes[size] ?? []).map((type) => part(type, png)))
  return part('icns', Buffer.concat(parts))
}

function part(type: string, content: Buffer): Buffer {
  const head = Buffer.from(`${type}\0\0\0\0`, 'latin1')
  head.writeUInt32BE(head.length + content.length, 4)
  return Buffer.concat([head, content])
}
