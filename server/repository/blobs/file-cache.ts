/** A folder of files that can be made again: the least recently used ones go when all together are too large. */
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import type { Platform } from '../../platform/platform.ts'
import { exists } from '../../platform/store/blob-files.ts'
import type { Files } from '../../platform/store/files.ts'

export interface FileCache {
  path(name: string): string
  /** Bytes of a file; undefined if it is not there. */
  find(name: string): Promise<number | undefined>
  /** Makes the folder. Call it before a file is written. */
  prepare(): Promise<void>
  /** Counts a file that was written. */
  add(name: string, size: number): void
  remove(name: string): Promise<void>
  /** Reads a part of a file. */
  read(name: string, start: number, end: number): AsyncIterable<Uint8Array>
}

interface Options {
  readonly folder: string
  readonly maxBytes: number
  /** Whether a file of the folder belongs to the cache. Others are removed. */
  readonly isOurs: (name: string) => boolean
  readonly files: Files
  readonly log: Platform['log']
}

/** Nothing is read before the first `find`. */
export function createFileCache({ folder, maxBytes, isOurs, files, log }: Options): FileCache {
  const path = (name: string) => join(folder, name)
  const sizes = new LRUCache<string, number>({
    maxSize: maxBytes,
    sizeCalculation: (size) => size,
    dispose: (_, name, reason) => void (reason === 'evict' && files.remove(path(name)).catch(() => {})),
  })
  let loaded: Promise<void> | undefined

  /** Finds the files of earlier processes, the least recently made first. */
  async function load(): Promise<void> {
    const found: { readonly name: string; readonly size: number; readonly at: Date }[] = []
    for (const name of await files.list(folder)) {
      const size = isOurs(name) ? await files.size(path(name)) : 0
      if (size > 0) found.push({ name, size, at: await files.changedAt(path(name)) })
      else await files.remove(path(name))
    }
    for (const { name, size } of found.sort((a, b) => a.at.getTime() - b.at.getTime())) sizes.set(name, size)
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
    },
    read: (name, start, end) => files.chunks(path(name), start, end),
  }
}
