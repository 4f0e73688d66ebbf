/** Makes a thumbnail: decodes a picture, makes it smaller, and encodes it as WebP. Metadata is dropped. */
import decodeJpeg, { init as initJpeg } from '@jsquash/jpeg/decode.js'
import decodePng, { init as initPng } from '@jsquash/png/decode.js'
import decodeWebp, { init as initWebp } from '@jsquash/webp/decode.js'
import encodeWebp, { init as initEncoder } from '@jsquash/webp/encode.js'
import { readCodec } from './codec.ts'
import { isDecodable } from './image-size.ts'
import { boxes, fitInto, type Preset } from './presets.ts'
import { type Pixels, shrink } from './shrink.ts'

export interface ThumbnailJob {
  readonly mediaType: string
  readonly file: Uint8Array
  readonly preset: Preset
}

const quality = 80

/** Returns a WebP file. Each codec is loaded with its first job. @throws for a file that cannot be decoded */
export async function makeThumbnail({ mediaType, file, preset }: ThumbnailJob): Promise<Uint8Array> {
  if (!isDecodable(mediaType, Buffer.from(file.buffer, file.byteOffset, file.length))) {
    throw new Error('The picture is too large to decode, or its header is damaged')
  }
  const pixels = await decode(mediaType, file)
  const small = shrink(pixels, fitInto(pixels, boxes[preset]))
  await initEncoder({
    wasmBinary: await readCodec(import.meta.resolve('@jsquash/webp/codec/enc/webp_enc_simd.wasm')),
  })
  return new Uint8Array(await encodeWebp(small, { quality }))
}

/** The decoders take views of buffers too, against their types. */
async function decode(mediaType: string, view: Uint8Array): Promise<Pixels> {
  const file = view as Uint8Array & ArrayBuffer
  switch (mediaType) {
    case 'image/jpeg':
      await initJpeg({
        wasmBinary: await readCodec(import.meta.resolve('@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm')),
      })
      return decodeJpeg(file, { preserveOrientation: true })
    case 'image/png':
      await initPng(await readCodec(import.meta.resolve('@jsquash/png/codec/pkg/squoosh_png_bg.wasm')))
      return decodePng(file, { bitDepth: 8 })
    case 'image/webp':
      await initWebp({
        wasmBinary: await readCodec(import.meta.resolve('@jsquash/webp/codec/dec/webp_dec.wasm')),
      })
      return decodeWebp(file)
    default:
      throw new Error(`No decoder for ${mediaType}`)
  }
}
