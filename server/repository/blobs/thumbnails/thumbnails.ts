/**
 * Thumbnails of pictures: made in a thread when a client asks for one, and cached as files. The content of a CID never changes,
 * so a thumbnail stays valid. The first request loads the parts and reads the folder.
 */
import { extname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { Platform } from '../../../platform/platform.ts'
import { blobCid, newBlobHash } from '../../../store/files/blob-files.ts'
import { replaceFile } from '../../../store/files/files.ts'
import { isBlobName, thumbnailsName } from '../../../store/files/layout.ts'
import { deadlineSignal } from '../../../util/deadlines.ts'
import {
  type ForeignBytesOptions,
  isOfBytes,
  isOutOfTime,
  readForeignBytes,
} from '../../../util/foreign-bytes.ts'
import type { Blob } from '../../tables/blobs.ts'
import { type CachedFile, createFileCache } from '../file-cache.ts'
import { createMaking } from '../making.ts'
import { maxFileBytes } from './image-size.ts'
import type { ThumbnailJob } from './make.ts'
import { boxes, type Preset } from './presets.ts'

export interface Thumbnails {
  /**
   * Returns the thumbnail of a picture. Undefined if its file should be sent instead: for small pictures, for types without a decoder,
   * for files that are damaged or too large to decode, and while thumbnails wait for long or are too many.
   * @param read reads the picture's file
   */
  find(
    picture: Blob,
    preset: Preset,
    read: (start: number, end: number) => AsyncIterable<Uint8Array>,
  ): Promise<CachedFile | undefined>
  /** Reads a part of a thumbnail. */
  read(name: string, start: number, end: number): AsyncIterable<Uint8Array>
  /** Deletes the thumbnails of a picture. */
  remove(cid: string): Promise<void>
}

interface Deps extends Pick<Platform, 'store' | 'files' | 'log' | 'signal'> {
  readonly inlineJobs?: boolean | undefined
  readonly dataDir: string
  readonly onUnloadable: (error: Error) => void
  /** Milliseconds for one picture; 30,000 by default. */
  readonly timeMs?: number
  /** Milliseconds in which a picture must get its turn; 10,000 by default. */
  readonly waitingMs?: number
}

const mimeType = 'image/webp'
const types: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/webp'])
const suffix = '.webp'
const presets = Object.keys(boxes) as readonly Preset[]

/** Smaller files are sent as they are. */
const smallBytes = 20_000
/** Bytes of all thumbnails; the least recently used ones go first. */
const maxCacheBytes = 200_000_000
/** Thumbnails that wait: a page of a feed can show a hundred pictures. */
const maxWaiting = 200
/** Version of the decoders and of what they accept: increase it to try failed pictures again. */
const maker = 1

export function createThumbnails({
  store,
  files,
  dataDir,
  log,
  signal,
  inlineJobs,
  onUnloadable,
  timeMs = 30_000,
  // So that large pictures of one account do not delay others: after this time the picture is sent as it is.
  waitingMs = 10_000,
}: Deps): Thumbnails {
  const folder = join(dataDir, thumbnailsName)
  const cache = createFileCache({
    folder,
    maxBytes: maxCacheBytes,
    isOurs: isThumbnailName,
    maker,
    files,
    log,
  })
  const making = createMaking<CachedFile | undefined>({ log, waiting: maxWaiting }, 'thumbnail not made')

  async function findCached(name: string): Promise<CachedFile | undefined> {
    const size = await cache.find(name)
    return size === undefined ? undefined : { name, mimeType, size }
  }

  /** @param read reads the whole file of the picture */
  async function make(
    { cid, mimeType: mediaType }: Blob,
    preset: Preset,
    read: () => AsyncIterable<Uint8Array>,
  ): Promise<CachedFile | undefined> {
    const name = nameOf(cid, preset)
    const file = await buffer(read())
    if (blobCid(newBlobHash().update(file)) !== cid) throw new Error('The file of the picture is damaged')
    await cache.attempt(name)
    const made = await run(name, { mediaType, file, preset })
    if (!made || made.length >= file.length) {
      await cache.fail(name)
      return undefined
    }
    await cache.forget(name)
    store.assertRoom()
    await cache.prepare()
    await replaceFile(files, cache.path(name), made)
    // The picture was deleted meanwhile.
    if (!making.has(name)) {
      await cache.remove(name)
      return undefined
    }
    cache.add(name, made.length)
    return { name, mimeType, size: made.length }
  }

  /** Resolves with undefined for a file that is damaged or exceeds the limits. */
  async function run(name: string, job: ThumbnailJob): Promise<Uint8Array | undefined> {
    try {
      return await readForeignBytes(worker, job, signal)
    } catch (err) {
      // The note of the attempt stays: there is one more.
      if (isOutOfTime(err)) throw err
      if (signal.aborted || !isOfBytes(err)) {
        await cache.forget(name)
        throw err
      }
      log.debug({ err, name }, 'picture cannot be decoded')
      return undefined
    }
  }

  const worker: ForeignBytesOptions<ThumbnailJob, Uint8Array> = {
    // The extension is .ts where Node itself strips the types, .js once compiled.
    file: new URL(`./thumbnail-worker${extname(import.meta.url)}`, import.meta.url),
    name: 'thumbnail',
    limits: { timeMs },
    // Codecs have memories of their own, which are limited.
    hasSmallHeap: true,
    ...(inlineJobs && {
      isInline: true,
      inline: async (job) => (await import('./make.ts')).makeThumbnail(job),
    }),
    onUnloadable,
  }

  return {
    async find(picture, preset, read) {
      const { cid, size } = picture
      const name = nameOf(cid, preset)
      if (!types.has(picture.mimeType) || size <= smallBytes || size > maxFileBytes) return undefined
      const cached = await findCached(name)
      if (cached || cache.hasFailed(name)) return cached
      const task = () => make(picture, preset, () => read(0, size))
      return making.run(name, task, deadlineSignal(waitingMs))
    },
    read: cache.read,
    async remove(cid) {
      for (const name of presets.map((preset) => nameOf(cid, preset))) {
        making.drop(name)
        await cache.remove(name)
      }
    },
  }
}

function nameOf(cid: string, preset: Preset): string {
  return `${cid}.${preset}${suffix}`
}

function isThumbnailName(name: string): boolean {
  const [cid = ''] = name.split('.')
  return isBlobName(cid) && presets.some((preset) => name === nameOf(cid, preset))
}
