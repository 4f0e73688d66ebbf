/** Small real files of each format, from which mutations are made. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import encodeJpeg, { init as initJpeg } from '@jsquash/jpeg/encode.js'
import encodeWebp, { init as initWebp } from '@jsquash/webp/encode.js'
import { packTar } from 'modern-tar'
import { noise } from '../../support/records/pictures.ts'

export const formats = ['png', 'jpeg', 'webp', 'gif', 'avif', 'mp4', 'car', 'cbor', 'zstd', 'tar'] as const
export type Format = (typeof formats)[number]
export type Samples = Readonly<Record<Format, readonly Buffer[]>>

const root = join(import.meta.dirname, '../../..')
const wasm = async (path: string) => ({
  wasmBinary: await readFile(join(root, 'node_modules/@jsquash', path)),
})

/** @param car an archive of the account that imports. @param database an SQLite file of this program */
export async function makeSamples(car: Buffer, database: Buffer): Promise<Samples> {
  await initJpeg(await wasm('jpeg/codec/enc/mozjpeg_enc.wasm'))
  await initWebp(await wasm('webp/codec/enc/webp_enc_simd.wasm'))
  const pixels = { ...{ width: 160, height: 120 }, data: new Uint8ClampedArray(160 * 120 * 4) }
  for (let i = 0; i < pixels.data.length; i++) pixels.data[i] = i % 4 === 3 ? 255 : (i * 7919) % 251
  const jpeg = async (progressive: boolean) =>
    Buffer.from(await encodeJpeg(pixels, { quality: 98, progressive, chroma_subsample: 1 }))
  const webp = async (lossless: number) =>
    Buffer.from(await encodeWebp(pixels, { quality: 100, lossless, method: 0 }))
  const film = await readFile(join(root, 'test/support/records/video.mp4'))
  const header = { name: 'pds.sqlite', size: database.length }
  const tar = Buffer.from(await packTar([{ header, body: Uint8Array.from(database) }]))
  return {
    png: [noise(100, 90)],
    jpeg: [await jpeg(false), await jpeg(true)],
    webp: [await webp(0), await webp(1)],
    gif: [gif()],
    avif: [avif()],
    mp4: [film],
    car: [car],
    cbor: [cborOf(car)],
    zstd: [zstdCompressSync(database)],
    tar: [tar, gzipSync(tar)],
  }
}

/** The header of a GIF of 16 by 16 pixels, its frame and data. */
function gif(): Buffer {
  const screen = [16, 0, 16, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
  const frame = [0x2c, 0, 0, 0, 0, 16, 0, 16, 0, 0, 2, 4, 0x84, 0x8f, 0xa9, 0xcb, 0, 0x3b]
  return Buffer.concat([Buffer.from('GIF89a'), Buffer.from([...screen, ...frame]), Buffer.alloc(21_000)])
}

/** The boxes of an AVIF file, with the size of its picture (`ispe`). */
function avif(): Buffer {
  const box = (type: string, ...content: Buffer[]) => {
    const head = Buffer.alloc(8)
    head.writeUInt32BE(8 + Buffer.concat(content).length)
    head.write(type, 4, 'latin1')
    return Buffer.concat([head, ...content])
  }
  const ispe = box('ispe', Buffer.from([0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 16]))
  const meta = box('meta', Buffer.alloc(4), box('iprp', box('ipco', ispe)))
  return Buffer.concat([
    box('ftyp', Buffer.from('avif\0\0\0\0avifmif1')),
    meta,
    box('mdat', Buffer.alloc(21_000)),
  ])
}

/** The content of the first block of an archive: a commit. */
function cborOf(car: Buffer): Buffer {
  const header = 1 + car.readUInt8(0)
  const length = (car.readUInt8(header) & 0x7f) | (car.readUInt8(header + 1) << 7)
  return car.subarray(header + 2 + 36, header + 2 + length)
}
