/**
 * Videos in the form in which players of the network stream them: made in a thread when a player asks for one, and cached as two
 * files. The content of a CID never changes, so they stay valid. The first request loads the parts and reads the folder.
 */
import { extname, join } from 'node:path'
import type { Platform } from '../../../platform/platform.ts'
import { replaceFile } from '../../../store/files/files.ts'
import { onFiles } from '../../../store/files/jobs-on-files.ts'
import { blobPath, blobsName, isBlobName, temporarySuffix, videosName } from '../../../store/files/layout.ts'
import {
  type ForeignBytesOptions,
  isOfBytes,
  isOutOfTime,
  readForeignBytes,
} from '../../../util/foreign-bytes.ts'
import type { Blob } from '../../tables/blobs.ts'
import { type CachedFile, createFileCache } from '../file-cache.ts'
import { createMaking } from '../making.ts'
import { damagedFile } from './damaged-file.ts'
import type { FragmentJob } from './fragment.ts'
import { fragmentsFile, playlistFile, type VideoPath } from './video-path.ts'

export interface Videos {
  /**
   * Returns a file of a streamable video. Undefined for other and damaged files, for tracks that cannot be copied, and
   * while too many videos wait.
   */
  find(video: Blob, file: VideoPath['file']): Promise<CachedFile | undefined>
  /** Reads a part of a file. */
  read(name: string, start: number, end: number): AsyncIterable<Uint8Array>
  /** Deletes the files of a video. */
  remove(cid: string): Promise<void>
}

interface Deps extends Pick<Platform, 'store' | 'files' | 'log' | 'signal'> {
  readonly dataDir: string
  readonly onUnloadable: (error: Error) => void
}

/** Media types (RFC 8216 §4, CMAF). */
const kinds = {
  'playlist.m3u8': { suffix: '.m3u8', mimeType: 'application/vnd.apple.mpegurl' },
  'video.m4s': { suffix: '.m4s', mimeType: 'video/mp4' },
} as const
const suffixes = Object.values(kinds).map(({ suffix }) => suffix)

/** Bytes of all files; the least recently used ones go first. */
const maxCacheBytes = 1_000_000_000
const maxWaiting = 20
/** Version of the code that reads and writes videos: increase it to try failed ones again. */
const maker = 1

export function createVideos({ store, files, dataDir, log, signal, onUnloadable }: Deps): Videos {
  const cache = createFileCache({
    ...{ folder: join(dataDir, videosName), maxBytes: maxCacheBytes, maker, files, log },
    isOurs: (name) =>
      suffixes.some((suffix) => name.endsWith(suffix) && isBlobName(name.slice(0, -suffix.length))),
  })
  const making = createMaking<void>({ log, waiting: maxWaiting }, 'video not made streamable')
  const noteOf = (cid: string) => nameOf(cid, playlistFile)
  const nameOf = (cid: string, file: VideoPath['file']) => `${cid}${kinds[file].suffix}`

  async function findCached(cid: string, wanted: VideoPath['file']): Promise<CachedFile | undefined> {
    const [playlist, fragments] = await Promise.all([
      cache.find(nameOf(cid, 'playlist.m3u8')),
      cache.find(nameOf(cid, 'video.m4s')),
    ])
    // One of them alone plays nothing.
    if (playlist === undefined || fragments === undefined) return undefined
    const size = wanted === fragmentsFile ? fragments : playlist
    return { name: nameOf(cid, wanted), mimeType: kinds[wanted].mimeType, size }
  }

  async function make({ cid, size }: Blob): Promise<void> {
    store.assertRoom(1, size)
    await cache.attempt(noteOf(cid))
    const to = cache.path(`${cid}${temporarySuffix}`)
    try {
      const from = blobPath(join(dataDir, blobsName), cid)
      const job = { from, cid, to, url: fragmentsFile }
      const playlist = Buffer.from(await readForeignBytes(worker, job, signal))
      await replaceFile(files, cache.path(nameOf(cid, 'playlist.m3u8')), playlist)
      await files.rename(to, cache.path(nameOf(cid, 'video.m4s')))
      await cache.forget(noteOf(cid))
      cache.add(nameOf(cid, 'playlist.m3u8'), playlist.length)
      cache.add(nameOf(cid, 'video.m4s'), await files.size(cache.path(nameOf(cid, 'video.m4s'))))
    } catch (err) {
      await files.remove(to).catch(() => {})
      // A file that the disk has damaged may be repaired.
      const isOfVideo = isOfBytes(err) && !(err instanceof Error && err.name === damagedFile)
      const hasFailed = !signal.aborted && isOfVideo
      // The note of an attempt that took too long stays: there is one more.
      if (!isOutOfTime(err)) await (hasFailed ? cache.fail(noteOf(cid)) : cache.forget(noteOf(cid)))
      signal.throwIfAborted()
      log.debug({ err, cid }, 'video cannot be streamed')
    }
    // The video was deleted meanwhile.
    if (!making.has(cid)) await remove(cid)
  }

  async function remove(cid: string): Promise<void> {
    making.drop(cid)
    await cache.remove(nameOf(cid, 'playlist.m3u8'))
    await cache.remove(nameOf(cid, 'video.m4s'))
  }

  const inThisThread = onFiles(files, async (files, job: FragmentJob) =>
    (await import('./fragment.ts')).fragment(files, job),
  )
  const worker: ForeignBytesOptions<FragmentJob, string> = {
    // The extension is .ts where Node itself strips the types, .js once compiled.
    file: new URL(`./video-worker${extname(import.meta.url)}`, import.meta.url),
    name: 'video',
    // Videos on the real disk are refused without a thread.
    ...(inThisThread.isInline && inThisThread),
    onUnloadable,
  }

  return {
    async find(video, file) {
      const { cid } = video
      if (!video.mimeType.startsWith('video/')) return undefined
      const cached = await findCached(cid, file)
      if (cached || cache.hasFailed(noteOf(cid))) return cached
      await making.run(cid, () => make(video))
      return findCached(cid, file)
    },
    read: cache.read,
    remove,
  }
}
