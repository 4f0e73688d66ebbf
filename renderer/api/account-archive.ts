/** Reads the archive of an account: a CAR file with its records, or the ZIP file of the screen Data, which also has its media. */

export interface AccountArchive {
  readonly repository: Blob
  readonly media: readonly Blob[]
}

/** Returns undefined if the file is neither. The server verifies the content. */
export async function openArchive(file: Blob): Promise<AccountArchive | undefined> {
  const start = new Uint8Array(await file.slice(0, 4).arrayBuffer())
  const isZip = start[0] === 0x50 && start[1] === 0x4b
  if (!isZip) return start.length < 4 ? undefined : { repository: file, media: [] }
  const entries = await entriesOf(file)
  const repository = entries.find(({ name }) => name.endsWith('.car'))
  if (!repository) return undefined
  const media = entries.filter(({ name }) => /^media\/./.test(name))
  return {
    repository: await contentOf(file, repository),
    media: await Promise.all(media.map((entry) => contentOf(file, entry))),
  }
}

interface Entry {
  readonly name: string
  readonly isDeflated: boolean
  /** Compressed size in bytes. */
  readonly size: number
  /** Position of its local header. */
  readonly at: number
}

/** The end of a ZIP file: 22 bytes, and a comment of up to 64 kB. */
const endSize = 22
const endSignature = 0x06054b50
const entrySignature = 0x02014b50
const localSize = 30

/** Reads the central directory (APPNOTE 4.3.12). Returns an empty list without one. */
async function entriesOf(file: Blob): Promise<Entry[]> {
  const tail = await viewOf(file.slice(-(endSize + 0xffff)))
  let end = tail.byteLength - endSize
  while (end >= 0 && tail.getUint32(end, true) !== endSignature) end--
  if (end < 0) return []
  const [size, start] = [tail.getUint32(end + 12, true), tail.getUint32(end + 16, true)]
  const directory = await viewOf(file.slice(start, start + size))
  const entries: Entry[] = []
  for (let at = 0; at + 46 <= directory.byteLength && directory.getUint32(at, true) === entrySignature; ) {
    const [name, extra, comment] = [28, 30, 32].map((offset) => directory.getUint16(at + offset, true))
    const bytes = new Uint8Array(directory.buffer, at + 46, name)
    entries.push({
      name: new TextDecoder().decode(bytes),
      isDeflated: directory.getUint16(at + 10, true) === 8,
      size: directory.getUint32(at + 20, true),
      at: directory.getUint32(at + 42, true),
    })
    at += 46 + (name ?? 0) + (extra ?? 0) + (comment ?? 0)
  }
  return entries
}

async function contentOf(file: Blob, { name, isDeflated, size, at }: Entry): Promise<Blob> {
  const header = await viewOf(file.slice(at, at + localSize))
  const start = at + localSize + header.getUint16(26, true) + header.getUint16(28, true)
  const type = typeOf(name)
  const stored = file.slice(start, start + size, type)
  if (!isDeflated) return stored
  const inflated = stored.stream().pipeThrough(new DecompressionStream('deflate-raw'))
  return new Blob([await new Response(inflated).arrayBuffer()], { type })
}

const types: Readonly<Record<string, string>> = {
  jpg: 'image/jpeg',
  svg: 'image/svg+xml',
  mov: 'video/quicktime',
  mp4: 'video/mp4',
  webm: 'video/webm',
  car: 'application/vnd.ipld.car',
}

/** The media type of a file by its name, as the screen Data names it. */
function typeOf(name: string): string {
  const extension = /\.(\w+)$/.exec(name)?.[1]
  if (extension === undefined) return 'application/octet-stream'
  return types[extension] ?? `image/${extension}`
}

async function viewOf(part: Blob): Promise<DataView> {
  return new DataView(await part.arrayBuffer())
}
