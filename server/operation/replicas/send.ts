/** Sends a database, what follows it and media to a place. */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { zstdCompress } from 'node:zlib'
import { isIntact } from '../../store/files/blob-files.ts'
import type { Files } from '../../store/files/files.ts'
import { blobPath } from '../../store/files/layout.ts'
import type { JournalPart } from '../../store/journal/tail.ts'
import { during } from '../../util/during.ts'
import {
  baseName,
  endBytes,
  endName,
  isWhole,
  mediaFolder,
  partName,
  type Segment,
  segmentName,
} from './catalog.ts'
import { type Place, PlaceProblem } from './places/place.ts'
import type { Sealer } from './sealer.ts'

const compress = promisify(zstdCompress)

/** Content of an object before it is encrypted, at most. */
export const partBytes = 8 * 1024 * 1024

/** The content of the `end` marker of a base. */
export interface BaseEnd {
  readonly parts: number
  /** SHA-256 of the compressed database, in hexadecimal. */
  readonly sha256: string
  /** Version of its schema. */
  readonly schema: number
  /** Size of the database when it is decompressed; undefined in bases of earlier versions of the program. */
  readonly bytes?: number | undefined
  /** Of a backup in the data directory: SHA-256 of the list of its media, in hexadecimal. */
  readonly media?: string
}

/** A compressed database that is being sent. */
export interface PendingBase {
  /** Name of the timeline that wrote it. */
  readonly timeline: string
  readonly seq: number
  /** When it was begun, in ISO 8601. */
  readonly at: string
  readonly schema: number
  /** SHA-256 of the file, in hexadecimal. */
  readonly sha256: string
  readonly bytes?: number | undefined
}

/** Where and how objects go. */
export interface Target {
  readonly place: Place
  readonly sealer: Sealer
  /** The folder that has the media under their CIDs; undefined if they are objects. */
  readonly mediaFolder?: string
}

async function put({ place, sealer }: Target, name: string, content: Uint8Array): Promise<void> {
  await putVerified(place, name, await sealer.seal(name, content))
}

/** Stores an object, and asks the place for its size. @throws PlaceProblem `damaged` if it is not stored whole */
export async function putVerified(place: Place, name: string, bytes: Uint8Array): Promise<void> {
  await place.put(name, bytes)
  const stored = await place.size(name)
  if (stored === bytes.length) return
  throw new PlaceProblem(
    'damaged',
    `The place has stored ${stored ?? 'none'} of the ${bytes.length} bytes of an object. It is sent again later.`,
    { object: name },
  )
}

/** Puts an object that contains JSON. */
export async function putJson(target: Target, name: string, value: unknown): Promise<void> {
  await put(target, name, Buffer.from(JSON.stringify(value)))
}

interface SendOptions {
  readonly files: Files
  readonly file: string
  readonly onPart: (bytes: number) => Promise<void>
  readonly besideMs: number
}

/**
 * Sends a compressed database. Parts that are there already, as an interrupted call leaves them, are kept: the file must be the same.
 * @param onPart called with the bytes of the file that are at the place, after each part and every `besideMs`
 */
export async function sendBase(
  target: Target,
  { timeline, seq, at, schema, sha256, bytes }: PendingBase,
  { files, file, onPart, besideMs }: SendOptions,
): Promise<void> {
  const count = Math.ceil((await files.size(file)) / partBytes)
  const name = baseName(timeline, seq, new Date(at), count)
  const there = await target.place.list(name)
  const sent = there.filter((entry) => isWhole(target.sealer, entry)).map((entry) => `${name}/${entry.name}`)
  const hash = createHash('sha256')
  for (let number = 1; number <= count; number++) {
    const start = (number - 1) * partBytes
    const content = await readPart(files, file, start)
    hash.update(content)
    const part = partName(name, number, content.length)
    if (!sent.includes(part)) await during(put(target, part, content), besideMs, () => onPart(start))
    await onPart(start + content.length)
  }
  if (hash.digest('hex') !== sha256) throw new Error(`${file} has changed since it was written.`)
  await put(target, endName(name), endOf({ sha256, schema, bytes }, count))
}

/** Returns the content of the end of a base. */
export function endOf({ sha256, schema, bytes, media }: Omit<BaseEnd, 'parts'>, parts: number): Buffer {
  const end: BaseEnd = { parts, sha256, schema, bytes, ...(media !== undefined && { media }) }
  return Buffer.from(JSON.stringify(end).padEnd(endBytes))
}

/** Sends transactions that follow a base or another segment: journals, one after another. */
export async function sendSegment(
  target: Target,
  timeline: string,
  { from, to, content }: JournalPart,
  at: Date,
): Promise<Segment> {
  const compressed = await compress(content)
  const segment = { timeline, from, to, at, bytes: compressed.length }
  const name = segmentName(segment)
  await put(target, name, compressed)
  return { name, ...segment }
}

/** Sends a media file, in parts. Returns false if it is missing or damaged here. */
export async function sendMedia(target: Target, files: Files, folder: string, cid: string): Promise<boolean> {
  const path = blobPath(folder, cid)
  if (!(await isIntact(files, path, cid))) return false
  const hidden = target.sealer.hiddenName(cid)
  const size = await files.size(path)
  const count = Math.max(1, Math.ceil(size / partBytes))
  for (let number = 1; number <= count; number++) {
    const content = await readPart(files, path, (number - 1) * partBytes, size)
    const name = `${hidden}-${number}-${count}-${content.length}`
    await put(target, `${mediaFolder}/${hidden.slice(0, 1)}/${name}`, content)
  }
  return true
}

const mediaFolders = '0123456789abcdef'

interface MediaPart {
  readonly name: string
  readonly number: number
  /** Number of parts of the file. */
  readonly count: number
  readonly isWhole: boolean
}

/** Returns all parts of media that a place has, by their hidden names. */
export async function listMediaParts({ place, sealer }: Target): Promise<Map<string, MediaPart[]>> {
  const found = new Map<string, MediaPart[]>()
  for (const letter of mediaFolders) {
    for (const entry of await place.list(`${mediaFolder}/${letter}`)) {
      const [, hidden, number, count] = /^([0-9a-f]{40,64})-(\d+)-(\d+)-\d+$/.exec(entry.name) ?? []
      if (!hidden) continue
      const name = `${mediaFolder}/${letter}/${entry.name}`
      const part = { name, number: Number(number), count: Number(count), isWhole: isWhole(sealer, entry) }
      found.set(hidden, [...(found.get(hidden) ?? []), part])
    }
  }
  return found
}

/** Returns the media that a place has whole: the names of their parts, in order, by their hidden names. */
export async function listMedia(target: Target): Promise<Map<string, readonly string[]>> {
  const media = new Map<string, readonly string[]>()
  for (const [hidden, parts] of await listMediaParts(target)) {
    const byNumber = new Map(parts.filter((part) => part.isWhole).map((part) => [part.number, part]))
    if (byNumber.size !== parts[0]?.count) continue
    const inOrder = [...byNumber].sort(([a], [b]) => a - b)
    media.set(
      hidden,
      inOrder.map(([, { name }]) => name),
    )
  }
  return media
}

async function readPart(
  files: Files,
  path: string,
  start: number,
  size = Number.POSITIVE_INFINITY,
): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of files.chunks(path, start, Math.min(start + partBytes, size))) chunks.push(chunk)
  return Buffer.concat(chunks)
}
