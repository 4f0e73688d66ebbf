/** Photos as cameras make them. */
import { readFile } from 'node:fs/promises'
import encodeJpeg, { init as initEncoder } from '@jsquash/jpeg/encode.js'

/** A text in the EXIF data of photos, in the place of the coordinates. */
export const exifText = 'taken at home'

const wasm = new URL('../../../node_modules/@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm', import.meta.url)

/** A JPEG file of the left half red, the right half blue, with a tag of EXIF that turns it. */
export async function photo(width: number, height: number, orientation: number): Promise<Buffer> {
  await initEncoder({ wasmBinary: await readFile(wasm) })
  const data = new Uint8ClampedArray(width * height * 4)
  for (let i = 0; i < width * height; i++) {
    // Some noise, so that the file is not small.
    const shade = (i * 7919) % 60
    data.set(i % width < width / 2 ? [255, shade, shade, 255] : [shade, shade, 255, 255], i * 4)
  }
  const file = Buffer.from(await encodeJpeg({ data, width, height }, { quality: 90 }))
  const exif = Buffer.concat([
    Buffer.from('Exif\0\0MM\0*\0\0\0\x08\0\x01', 'latin1'),
    Buffer.from([0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0]),
    Buffer.from(exifText),
  ])
  const head = Buffer.from([0xff, 0xe1, 0, 0])
  head.writeUInt16BE(exif.length + 2, 2)
  return Buffer.concat([file.subarray(0, 2), head, exif, file.subarray(2)])
}
