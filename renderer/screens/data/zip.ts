/** Writes ZIP archives without compression (APPNOTE 6.3.10), for files that are compressed already. */

/** The size limit of an archive, in bytes, without the ZIP64 format. */
export const maxZipBytes = 0xffff_ffff
/** The limit of the number of files in an archive. */
export const maxZipFiles = 0xffff

const localSignature = 0x04034b50
const centralSignature = 0x02014b50
const endSignature = 0x06054b50
const version = 20
/** Bit 11: names are UTF-8. */
const flags = 1 << 11
/** 1 January 1980, the earliest date of the format: the files have no date of their own. */
const date = (1 << 5) | 1

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  return crc
})

export interface Zip {
  /** Adds a file. */
  add(name: string, content: Blob): Promise<void>
  /** The archive. */
  finish(): Blob
}

export function createZip(): Zip {
  const parts: BlobPart[] = []
  const directory: BlobPart[] = []
  let offset = 0
  let directoryBytes = 0
  let files = 0
  return {
    async add(name, content) {
      const path = new TextEncoder().encode(name)
      const header = entryHeader(await crc32(content), content.size, path.length)
      parts.push(fields([localSignature, 4]), header, path, content)
      const place = fields([0, 2], [0, 2], [0, 2], [0, 4], [offset, 4])
      directory.push(fields([centralSignature, 4], [version, 2]), header, place, path)
      offset += 30 + path.length + content.size
      directoryBytes += 46 + path.length
      files++
    },
    finish() {
      const counts = fields([0, 2], [0, 2], [files, 2], [files, 2])
      const end = [fields([endSignature, 4]), counts, fields([directoryBytes, 4], [offset, 4], [0, 2])]
      return new Blob([...parts, ...directory, ...end], { type: 'application/zip' })
    },
  }
}

/** The fields that the header of a file and its entry in the directory share. */
function entryHeader(crc: number, size: number, nameLength: number): BlobPart {
  const stored = 0
  const time = 0
  const sizes = [
    [crc, 4],
    [size, 4],
    [size, 4],
  ] as const
  return fields(
    [version, 2],
    [flags, 2],
    [stored, 2],
    [time, 2],
    [date, 2],
    ...sizes,
    [nameLength, 2],
    [0, 2],
  )
}

/** Little-endian numbers, each with its length in bytes. */
function fields(...numbers: readonly (readonly [value: number, bytes: 2 | 4])[]): BlobPart {
  const view = new DataView(new ArrayBuffer(numbers.reduce((sum, [, bytes]) => sum + bytes, 0)))
  let at = 0
  for (const [value, bytes] of numbers) {
    if (bytes === 2) view.setUint16(at, value, true)
    else view.setUint32(at, value, true)
    at += bytes
  }
  return view.buffer
}

async function crc32(content: Blob): Promise<number> {
  let crc = 0xffff_ffff
  const reader = content.stream().getReader()
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    for (const byte of read.value) crc = (crc >>> 8) ^ (crcTable[(crc ^ byte) & 0xff] ?? 0)
  }
  return (crc ^ 0xffff_ffff) >>> 0
}
