/** Tar archives (POSIX ustar) of regular files, written and read as streams. */
import { ReadableStream } from 'node:stream/web'
import { createTarDecoder } from 'modern-tar'

export interface TarFile {
  readonly name: string
  /** In bytes. */
  readonly size: number
  readonly content: AsyncIterable<Uint8Array>
}

const blockBytes = 512
/** Larger sizes do not fit the 11 octal digits of the field. */
const maxOctalSize = 8 ** 11 - 1

/** Returns the header of a file, which its content and `tarPadding` follow. */
export function tarHeader(name: string, size: number, modified: Date): Buffer {
  const header = Buffer.alloc(blockBytes)
  const put = (at: number, text: string) => header.write(text, at, 'latin1')
  const octal = (at: number, length: number, value: number) =>
    put(at, value.toString(8).padStart(length - 1, '0'))
  put(0, name)
  octal(100, 8, 0o600)
  // Owner and group.
  octal(108, 8, 0)
  octal(116, 8, 0)
  if (size <= maxOctalSize) octal(124, 12, size)
  else {
    // As GNU tar does, which POSIX tools read, too: a big-endian number of 12 bytes, of which the first has its top bit set.
    header.writeUInt8(0x80, 124)
    header.writeUIntBE(size, 130, 6)
  }
  octal(136, 12, Math.floor(modified.getTime() / 1000))
  // A regular file.
  put(156, '0')
  put(257, 'ustar\x0000')
  // The checksum of a header counts its own field as spaces.
  put(148, ' '.repeat(8))
  octal(
    148,
    7,
    header.reduce((sum, byte) => sum + byte),
  )
  put(154, '\0')
  return header
}

/** Returns the zeros between the content of a file and the next header. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc((blockBytes - (size % blockBytes)) % blockBytes)
}

/** Ends an archive. */
export const tarEnd = Buffer.alloc(2 * blockBytes)

/**
 * Yields the files of an archive. The content of a file can be read until the next one is requested; the rest is skipped.
 * Leaves out directories and links. Throws when the archive is damaged, cut short or has a trailer.
 */
export async function* readTar(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TarFile> {
  const entries = ReadableStream.from(chunks).pipeThrough(createTarDecoder({ strict: true }))
  for await (const { header, body } of entries) {
    const { name, size, type } = header
    if (type === 'file') yield { name: name.replace(/^\.\//, ''), size, content: body }
    await body.cancel()
  }
}
