/** Mutations of files: of single bits and numbers, and of whole parts. */
import { crc32 } from 'node:zlib'
import type { Random } from './random.ts'
import type { Format } from './samples.ts'

const bytes = [0, 1, 0x7f, 0x80, 0xfe, 0xff]
const numbers = [
  0, 1, 2, 0xff, 0x7fff, 0xffff, 0x00ff_ffff, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, 0xffff_ffff,
]
/** Where formats have their headers. */
const headBytes = 200

/** Returns a mutation of a file. Checksums of PNG chunks are mostly made to fit, else nothing behind them is reached. */
export function mutate(format: Format, file: Buffer, random: Random): Buffer {
  let mutation: Buffer = Buffer.from(file)
  for (let left = 1 + random.below(6); left > 0 && mutation.length > 16; left--) {
    mutation = change(mutation, random)
  }
  if (format === 'png' && random.below(5) > 0) fitChecksums(mutation)
  return mutation
}

function change(file: Buffer, random: Random): Buffer {
  const end = random.below(2) === 0 ? Math.min(headBytes, file.length) : file.length
  const at = random.below(end - 8)
  const length = 1 + random.below(Math.min(64, file.length - at))
  switch (random.below(8)) {
    case 0:
      file[at] = (file[at] ?? 0) ^ (1 << random.below(8))
      return file
    case 1:
      file[at] = random.pick(bytes)
      return file
    case 2:
      file.writeUInt32BE(random.pick(numbers), at)
      return file
    case 3:
      file.writeUInt32LE(random.pick(numbers), at)
      return file
    case 4:
      file.writeUInt16BE(random.pick(numbers) & 0xffff, at)
      return file
    case 5:
      return Buffer.concat([file.subarray(0, at), file.subarray(at + length)])
    case 6:
      return Buffer.concat([file.subarray(0, at + length), file.subarray(at)])
    default:
      return random.below(4) === 0 ? file.subarray(0, at + 8) : file.fill(random.pick(bytes), at, at + length)
  }
}

/** Makes the checksums of the chunks of a PNG file fit. */
export function fitChecksums(png: Buffer): void {
  for (let at = 8; at + 12 <= png.length; ) {
    const length = png.readUInt32BE(at)
    if (at + 12 + length > png.length) return
    png.writeUInt32BE(crc32(png.subarray(at + 4, at + 8 + length)), at + 8 + length)
    at += 12 + length
  }
}
