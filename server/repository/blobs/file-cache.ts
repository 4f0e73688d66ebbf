/**
 * A folder of files that can be made again: the least recently used ones are deleted when all together are too large. Beside them are
 * notes on failed attempts, so that a source that is slow to refuse, or ends the process, is tried once instead of at each start.
 */
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import type { Platform } from '../../platform/platform.ts'
import { exists } from '../../store/files/blob-files.ts'
import type { Files } from '../../store/files/files.ts'
import { upToEntries } from '../../util/entry-limit.ts'

/** A file in the cache. */
export interface CachedFile {
  /** Its name, which also is its entity tag. */
  readonly name: string
  readonly mimeType: string
  readonly size: number
}

export interface FileCache {
  path(name: string): string
  /** Bytes of a file; undefined if it is not there. */
  find(name: string): Promise<number | undefined>
  /** Makes the folder. Call it before a file is written. */
  prepare(): Promise<void>
  /** Counts a file that was written. */
  add(name: string, size: number): void
  /** Removes a file, and the note on it. */
  remove(name: string): Promise<void>
  /** Whether an attempt to make the file has failed, or two were cut off by a time limit or the end of the process. Call `find` first. */
  hasFailed(name: string): boolean
  /** Notes that an attempt to make the file begins. The note stays until `forget` or `remove`. */
  attempt(name: string): Promise<void>
  /** Notes that the attempt has failed: the content of the source is the reason. */
  fail(name: string): Promise<void>
  /** Removes the note, after a success or for another attempt. */
  forget(name: string): Promise<void>
  /** Reads a part of a file. */
  read(name: string, start: number, end: number): AsyncIterable<Uint8Array>
}

interface Options {
  readonly folder: string
  readonly maxBytes: number
  /** Whether a file of the folder belongs to the cache. Others are removed. */
  readonly isOurs: (name: string) => boolean
  /** Version of the code that makes the files: a new version forgets failed attempts. */
  readonly maker: number
  readonly files: Files
  readonly log: Platform['log']
}

/** Notes are files of this size: one byte for each attempt. */
const failedBytes = 2
/** Above this number, the least recently used notes are deleted. */
const maxNotes = 10_000

/** Creates a cache. The first `find` reads the folder. */
export function createFileCache({ folder, maxBytes, isOurs, maker, files, log }: Options): FileCache {
  const path = (name: string) => join(folder, name)
  const sizes = new LRUCache<string, number>({
    maxSize: maxBytes,
    sizeCalculation: (size) => size,
    dispose: (_, name, reason) => void (reason === 'evict' && files.remove(path(name)).catch(() => {})),
  })
  const noteSuffix = `.failed-${maker}`
  const notes = new LRUCache<string, number>({
    ...upToEntries(maxNotes),
    dispose: (_, name, reason) =>
      void (reason === 'evict' && files.remove(path(name + noteSuffix)).catch(() => {})),
  })
  let loaded: Promise<void> | undefined

  /** Finds the files of earlier processes, the least recently made first. */
  async function load(): Promise<void> {
    const found: { readonly name: string; readonly size: number; readonly at: Date }[] = []
    for (const name of await files.list(folder)) {
      const isNote = name.endsWith(noteSuffix)
      const base = isNote ? name.slice(0, -noteSuffix.length) : name
      const size = isOurs(base) ? await files.size(path(name)) : 0
      if (isNote && size > 0) notes.set(base, size)
      else if (size > 0) found.push({ name, size, at: await files.changedAt(path(name)) })
      else await files.remove(path(name))
    }
    for (const { name, size } of found.sort((a, b) => a.at.getTime() - b.at.getTime())) sizes.set(name, size)
  }

  async function note(name: string, attempts: number): Promise<void> {
    notes.set(name, attempts)
    await files.makeDir(folder)
    const file = await files.create(path(name + noteSuffix))
    try {
      await file.write(new Uint8Array(attempts), 0)
    } finally {
      await file.close()
    }
  }

  async function forget(name: string): Promise<void> {
    if (notes.delete(name)) await files.remove(path(name + noteSuffix))
  }

  return {
    path,
    async find(name) {
      loaded ??= load().catch((err: unknown) => log.warn({ err, folder }, 'reading of cached files failed'))
      await loaded
      const size = sizes.get(name)
      if (size === undefined || (await exists(files, path(name)))) return size
      sizes.delete(name)
      return undefined
    },
    prepare: () => files.makeDir(folder),
    add: (name, size) => void sizes.set(name, size),
    async remove(name) {
      sizes.delete(name)
      await files.remove(path(name))
      await forget(name)
    },
    hasFailed: (name) => (notes.get(name) ?? 0) >= failedBytes,
    attempt: (name) => note(name, (notes.peek(name) ?? 0) + 1),
    fail: (name) => note(name, failedBytes),
    forget,
    read: (name, start, end) => files.chunks(path(name), start, end),
  }
}
