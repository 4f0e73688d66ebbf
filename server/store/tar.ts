/** Tar archives (POSIX ustar) of regular files, written and read as streams. */

export interface TarFile {
  readonly name: string
  /** In bytes. */
  readonly size: number
  readonly content: AsyncIterable<Uint8Array>
}

const blockBytes = 512
/** Offsets and lengths of the header fields. */
const fields = {
  name: [0, 100],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  time: [136, 12],
  checksum: [148, 8],
  type: [156, 1],
  magic: [257, 8],
} as const

type Field = keyof typeof fields

/** Returns the header of a file, which its content and `tarPadding` follow. */
export function tarHeader(name: string, size: number, modified: Date): Buffer {
  const header = Buffer.alloc(blockBytes)
  const put = (field: Field, text: string) => header.write(text, fields[field][0], 'latin1')
  const octal = (field: Field, value: number) =>
    put(field, `${value.toString(8).padStart(fields[field][1] - 1, '0')}\0`)
  put('name', name)
  octal('mode', 0o600)
  octal('uid', 0)
  octal('gid', 0)
  octal('size', size)
  octal('time', Math.floor(modified.getTime() / 1000))
  put('type', '0')
  put('magic', 'ustar\x0000')
  put('checksum', `${checksum(header).toString(8).padStart(6, '0')}\0 `)
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
 * Leaves out directories, links and extended headers. Throws when the archive is damaged, cut short or has a trailer.
 */
export async function* readTar(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TarFile> {
  const source = new ByteSource(chunks)
  for (;;) {
    const header = await source.take(blockBytes)
    if (header.every((byte) => byte === 0)) break
    const { name, size, isFile } = parseHeader(header)
    const content = source.part(size)
    if (isFile) yield { name, size, content }
    for await (const _ of content);
    await source.take(tarPadding(size).length)
  }
  for await (const chunk of source.rest()) {
    if (chunk.some((byte) => byte !== 0)) throw new Error('The archive has a trailer')
  }
}

function parseHeader(header: Buffer) {
  const get = (field: Field) => {
    const [at, length] = fields[field]
    return header.toString('latin1', at, at + length).replace(/\0.*$/s, '')
  }
  const size = get('size').trim()
  const isValid =
    get('magic').startsWith('ustar') &&
    /^[0-7]+$/.test(size) &&
    Number.parseInt(get('checksum'), 8) === checksum(header)
  if (!isValid) throw new Error('The archive has a damaged header')
  const type = get('type')
  return {
    name: get('name').replace(/^\.\//, ''),
    size: Number.parseInt(size, 8),
    isFile: type === '0' || type === '',
  }
}

/** The sum of the bytes of a header, its own field taken as spaces. */
function checksum(header: Buffer): number {
  const [at, length] = fields.checksum
  return header.reduce((sum, byte, i) => sum + (i >= at && i < at + length ? 0x20 : byte), 0)
}

/** Reads exact numbers of bytes from a stream of chunks. */
class ByteSource {
  readonly #chunks: AsyncIterator<Uint8Array>
  #pending: Uint8Array = Buffer.alloc(0)

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]()
  }

  /** Throws at the end of the stream. */
  async take(length: number): Promise<Buffer> {
    const parts: Uint8Array[] = []
    for await (const part of this.part(length)) parts.push(part)
    return Buffer.concat(parts)
  }

  /** Yields the next `length` bytes. A second iteration yields what the first has left. */
  part(length: number): AsyncIterable<Uint8Array> {
    let left = length
    const next = async (): Promise<IteratorResult<Uint8Array>> => {
      if (left === 0) return { done: true, value: undefined }
      if (!(await this.#fill())) throw new Error('The archive is cut short')
      const value = this.#pending.subarray(0, left)
      this.#pending = this.#pending.subarray(value.length)
      left -= value.length
      return { done: false, value }
    }
    return { [Symbol.asyncIterator]: () => ({ next }) }
  }

  async *rest(): AsyncGenerator<Uint8Array> {
    while (await this.#fill()) {
      yield this.#pending
      this.#pending = Buffer.alloc(0)
    }
  }

  /** Returns false at the end of the stream. */
  async #fill(): Promise<boolean> {
    while (this.#pending.length === 0) {
      const { done, value } = await this.#chunks.next()
      if (done) return false
      this.#pending = value
    }
    return true
  }
}
