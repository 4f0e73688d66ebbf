/** Pictures of a world: files, or drawings that follow from a colour and a seed. */
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import type { WorldPicture } from './schema.ts'

export interface Picture {
  readonly bytes: Uint8Array
  /** Content type. */
  readonly type: string
  /** Width and height in pixels; undefined for files other than PNG. */
  readonly size: { readonly width: number; readonly height: number } | undefined
}

type Drawing = Exclude<WorldPicture, string>

export interface PictureDefaults {
  readonly width: number
  readonly height: number
  /** Decides on a drawing that has no seed. */
  readonly key: string
  /** File of the world. */
  readonly file: string | undefined
}

/** @throws the system's error for a file that cannot be read */
export async function pictureOf(given: WorldPicture, defaults: PictureDefaults): Promise<Picture> {
  const picture = partsOf(given)
  if (picture.path === undefined) return draw(picture, defaults)
  const bytes = await readFile(resolve(dirname(defaults.file ?? ''), picture.path))
  return { bytes, type: typeOf(bytes), size: isPng(bytes) ? pngSize(bytes) : undefined }
}

/** Whether a picture is a file. */
export function isFile(given: WorldPicture): boolean {
  return partsOf(given).path !== undefined
}

function partsOf(given: WorldPicture): Drawing {
  if (typeof given !== 'string') return given
  return given.startsWith('#') ? { colour: given } : { path: given }
}

/** Draws a diagonal gradient with a disc as a PNG. */
function draw({ colour, seed, ...given }: Drawing, defaults: PictureDefaults): Picture {
  const { width = defaults.width, height = defaults.height } = given
  const random = seed === undefined ? crc32(defaults.key) : Math.imul(seed + 1, 0x9e3779b1) >>> 0
  const from = colour === undefined ? colourOf(random) : parseColour(colour)
  const to = from.map((part) => Math.round(part * 0.35 + (random % 3) * 45))
  const [x, y] = [((random >>> 4) % 100) / 100, ((random >>> 12) % 100) / 100]
  const radius = (0.15 + ((random >>> 20) % 25) / 100) * Math.min(width, height)
  /** Each pixel is an index of the palette: 64 colours of the gradient, then the same for the disc. */
  const rows = Buffer.alloc(height * (width + 1))
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const shade = Math.floor(((row / height + column / width) / 2) * 64)
      const isDisc = Math.hypot(column - x * width, row - y * height) < radius
      rows[row * (width + 1) + 1 + column] = isDisc ? 127 - shade : shade
    }
  }
  const palette = Array.from({ length: 128 }, (_, index) =>
    from.map((part, place) => Math.round(part + (((to[place] ?? 0) - part) * (index % 64)) / 63)),
  )
  return { bytes: encodePng(width, height, palette.flat(), rows), type: 'image/png', size: { width, height } }
}

function encodePng(width: number, height: number, palette: readonly number[], rows: Buffer): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // 8 bits a pixel, which are indexes of the palette.
  header.set([8, 3], 8)
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette)),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

function chunk(name: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name), content])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(content.length)
  checksum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, checksum])
}

/** A bright colour. */
function colourOf(random: number): number[] {
  const hue = (random % 360) / 60
  return [0, 4, 2].map((shift) => {
    const part = Math.abs(((hue + shift) % 6) - 3) - 1
    return Math.round(70 + 170 * Math.min(1, Math.max(0, part)))
  })
}

function parseColour(colour: string): number[] {
  const digits = colour.slice(1)
  const step = digits.length / 3
  return [0, 1, 2].map((place) =>
    Number.parseInt(digits.slice(place * step, (place + 1) * step).repeat(step === 1 ? 2 : 1), 16),
  )
}

function isPng(bytes: Buffer): boolean {
  return bytes.length > 24 && bytes.subarray(0, 8).equals(signature)
}

function pngSize(bytes: Buffer): { width: number; height: number } {
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

function typeOf(bytes: Buffer): string {
  const start = bytes.toString('latin1', 0, 12)
  if (isPng(bytes)) return 'image/png'
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (start.startsWith('GIF8')) return 'image/gif'
  return start.startsWith('RIFF') && start.endsWith('WEBP') ? 'image/webp' : 'application/octet-stream'
}
