/** Sends a database, what follows it and media to a place. */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { zstdCompress } from 'node:zlib'
import { isIntact } from '../../platform/store/blob-files.ts'
import type { Files } from '../../platform/store/files.ts'
import type { JournalPart } from '../../platform/store/journal/tail.ts'
import { blobPath } from '../../platform/store/layout.ts'
import {
  type Base,
  baseName,
  endName,
  type Line,
  mediaFolder,
  partName,
  type Segment,
  segmentName,
} from './catalog.ts'
import type { Place } from './places/place.ts'
import type { Sealer } from './sealer.ts'

const compress = promisify(zstdCompress)

/** Content of an object before it is encrypted, at most. */
export const partBytes = 8 * 1024 * 1024

/** What the end of a base says. */
export interface BaseEnd {
  readonly parts: number
  /** SHA-256 of the compressed database, in hexadecimal. */
  readonly sha256: string
  /** Version of its schema. */
  readonly schema: number
}

/** Where and how objects go. */
export interface Target {
  readonly place: Place
  readonly sealer: Sealer
}

/** Seals an object and puts it. Returns its size at the place. */
async function put({ place, sealer }: Target, name: string, content: Uint8Array): Promise<number> {
  const sealed = await sealer.seal(name, content)
  await place.put(name, sealed)
  return sealed.length
}

/** Puts an object that contains JSON. */
export async function putJson(target: Target, name: string, value: unknown): Promise<void> {
  await put(target, name, Buffer.from(JSON.stringify(value)))
}

/**
 * Sends a compressed database. Parts that are there already, as an interrupted call leaves them, are kept: the file must be the same.
 * @param onPart called with the bytes of the file that are at the place
 */
export async function sendBase(
  target: Target,
  line: Line,
  { seq, at, schema }: { seq: number; at: Date; schema: number },
  { files, file, onPart }: { files: Files; file: string; onPart: (bytes: number) => void },
): Promise<Base> {
  const name = baseName(line, seq, at)
  const size = await files.size(file)
  const count = Math.ceil(size / partBytes)
  // The last part that an interrupted call has sent may be cut off at a place that stores objects piece by piece.
  const sent = new Set(
    (await target.place.list(name))
      .map((entry) => entry.name)
      .toSorted()
      .slice(0, -1),
  )
  const hash = createHash('sha256')
  for (let number = 1; number <= count; number++) {
    const start = (number - 1) * partBytes
    const content = await readPart(files, file, start)
    hash.update(content)
    const part = partName(name, number)
    if (!sent.has(part.slice(name.length + 1))) await put(target, part, content)
    onPart(start + content.length)
  }
  const end: BaseEnd = { parts: count, sha256: hash.digest('hex'), schema }
  await putJson(target, endName(name), end)
  return { name, seq, at }
}

/** Sends transactions that follow a base or another segment. */
export async function sendSegment(target: Target, line: Line, part: JournalPart, at: Date): Promise<Segment> {
  const { from, to } = part
  const name = segmentName(line, { from, to, at })
  const bytes = await put(target, name, await compress(part.content))
  return { name, from, to, at, bytes }
}

/** Sends a media file, in parts. Returns false if it is missing or damaged here. */
export async function sendMedia(target: Target, files: Files, folder: string, cid: string): Promise<boolean> {
  const path = blobPath(folder, cid)
  if (!(await isIntact(files, path, cid))) return false
  const size = await files.size(path)
  const count = Math.max(1, Math.ceil(size / partBytes))
  for (let number = 1; number <= count; number++) {
    const content = await readPart(files, path, (number - 1) * partBytes)
    await put(target, mediaName(target.sealer, cid, number, count), content)
  }
  return true
}

/** The name of a part of a media file, which does not show its content. */
export function mediaName(
  sealer: Pick<Sealer, 'hiddenName'>,
  cid: string,
  part: number,
  parts: number,
): string {
  const name = sealer.hiddenName(cid)
  return `${mediaFolder}/${name.slice(0, 1)}/${name}-${part}-${parts}`
}

const mediaFolders = '0123456789abcdef'

/** Returns the hidden names of media that a place has whole, with the number of their parts. */
export async function listMedia(place: Place): Promise<Map<string, number>> {
  const found = new Map<string, { parts: number; count: number }>()
  for (const letter of mediaFolders) {
    for (const entry of await place.list(`${mediaFolder}/${letter}`)) {
      const [, name, parts] = /^([0-9a-f]{40})-\d+-(\d+)$/.exec(entry.name) ?? []
      if (!name) continue
      const known = found.get(name)
      found.set(name, { parts: Number(parts), count: (known?.count ?? 0) + 1 })
    }
  }
  const whole = [...found].filter(([, { parts, count }]) => count === parts)
  return new Map(whole.map(([name, { parts }]) => [name, parts]))
}

async function readPart(files: Files, path: string, start: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of files.chunks(path, start, start + partBytes)) chunks.push(chunk)
  return Buffer.concat(chunks)
}
