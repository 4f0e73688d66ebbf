/**
 * Repositories as CAR files (version 1).
 *
 * An export is a copy of the repository at one commit. It is read completely before it is sent, so that a slow client does not keep
 * the commit pinned, and in pieces of a few milliseconds, between which writes go on. A reader has few exports at a time and must
 * read at a minimum speed, so that no one reader keeps others from theirs.
 */

import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { DidString } from '@atproto/syntax'
import { protocolError } from '../../platform/xrpc/xrpc-errors.ts'
import type { Database } from '../../store/database.ts'
import { type Files, nodeFiles, replaceByChunks } from '../../store/files/files.ts'
import { exportsName } from '../../store/files/layout.ts'
import { clearHeartbeat, setHeartbeat } from '../../util/deadlines.ts'
import { carOf } from './dated-blocks.ts'
import { createCopies, type OpenCopy } from './export-files.ts'
import type { Repositories } from './repositories.ts'

export interface ExportOptions {
  /** Key under which the exports of one reader are counted: an account or a source. */
  readonly reader: string
  /** Revision that the reader has: its content is left out. */
  readonly since?: string | undefined
}

export interface Exports {
  /**
   * Returns the repository as a CAR file, commit first; undefined if there is none. The stream is destroyed if it is read too slowly.
   * @throws RateLimitExceeded while the reader has many exports, NotEnoughResources while all readers have too many
   */
  open(did: DidString, options: ExportOptions): Promise<Readable | undefined>
  /** Removes files of earlier processes. Call it before the first export. */
  removeTemporaries(): Promise<void>
}

interface Deps {
  readonly store: Database
  readonly repositories: Repositories
  readonly files: Files
  readonly dataDir: string
}

/** Each may take as much of the disk as a repository. */
const maxExports = 50
const maxExportsPerReader = 8
/** A reader must take at least this much in each period: 9 kB per second. */
const minimum = { bytes: 256 * 1024, periodMs: 30_000 }

export function createExports(deps: Deps): Exports {
  const { files, dataDir } = deps
  const folder = join(dataDir, exportsName)
  const copies = createCopies({ ...deps, folder })
  /** Exports that are being read or sent, by reader. */
  const counts = new Map<string, number>()
  let total = 0

  /** @returns a function that ends the export */
  function begin(reader: string): () => void {
    const own = counts.get(reader) ?? 0
    if (own >= maxExportsPerReader) throw tooManyOfReader()
    if (total >= maxExports) throw tooMany()
    counts.set(reader, own + 1)
    total++
    return () => {
      const left = (counts.get(reader) ?? 1) - 1
      if (left > 0) counts.set(reader, left)
      else counts.delete(reader)
      total--
    }
  }

  return {
    async open(did, { reader, since }) {
      const end = begin(reader)
      const copy = await copies.open(did, since).catch((error: unknown) => {
        end()
        throw error
      })
      if (!copy) {
        end()
        return undefined
      }
      return streamOf(copy, since, end)
    },
    removeTemporaries: () => files.removeDir(folder),
  }
}

/** Returns the CAR file as a stream. @param end called when the stream has ended or was destroyed, also before it was read */
function streamOf(copy: OpenCopy, since: string | undefined, end: () => void): Readable {
  let bytes = 0
  let bytesBefore = 0
  async function* counted(): AsyncGenerator<Uint8Array, void> {
    for await (const chunk of carOf(copy.commit, copy.chunks(), since)) {
      yield chunk
      // Now the reader has asked for the next one.
      bytes += chunk.length
    }
  }
  const stream = Readable.from(counted())
  const timer = setHeartbeat(() => {
    if (bytes - bytesBefore < minimum.bytes) stream.destroy()
    bytesBefore = bytes
  }, minimum.periodMs).unref()
  return stream.once('close', () => {
    clearHeartbeat(timer)
    end()
    copy.leave().catch(() => {})
  })
}

const tooManyOfReader = () =>
  protocolError(
    'RateLimitExceeded',
    `You are downloading ${maxExportsPerReader} repositories. Try again when one of them is complete.`,
  )

const tooMany = () =>
  protocolError('NotEnoughResources', 'Too many repositories are being downloaded. Try again later.')

/**
 * Writes a repository to a CAR file. An existing file is replaced once the new one is on disk.
 * @returns false if there is no such repository
 */
export async function saveRepo(
  { exports }: { readonly exports: Exports },
  did: DidString,
  file: string,
): Promise<boolean> {
  const content = await exports.open(did, { reader: 'desktop' })
  if (content) await replaceByChunks(nodeFiles, file, content)
  return content !== undefined
}
