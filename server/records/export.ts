/**
 * Repositories as CAR files (version 1).
 *
 * An export is read between writes, so that it belongs to one commit, and completely before it is sent, so that a slow client
 * does not delay writes. Clients of the same export share it; it is removed with the last one.
 */

import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { DidString } from '@atproto/syntax'
import type { Database } from '../store/database.ts'
import { type Files, nodeFiles, saveAs } from '../store/files.ts'
import { exportsName } from '../store/layout.ts'
import * as repos from '../store/tables/repos.ts'
import { protocolError } from '../xrpc/errors.ts'
import { carParts } from './car.ts'
import type { Repositories } from './repositories.ts'
import { blocksOf } from './repository-blocks.ts'
import { type Spool, spool, streamOf } from './spool.ts'

export interface Exports {
  /**
   * Returns the repository as a CAR file, commit first; undefined if there is none.
   * @param since revision that the reader has: leaves out what it contains
   * @throws NotEnoughResources while too many large exports are being sent
   */
  open(did: DidString, since?: string): Promise<Readable | undefined>
  /** Removes files of earlier processes. Call it before the first export. */
  removeTemporaries(): Promise<void>
}

interface Deps {
  readonly store: Database
  readonly repositories: Repositories
  readonly files: Files
  readonly dataDir: string
}

interface OpenExport {
  readonly commit: string
  readonly content: Spool
  readers: number
}

/** Each takes as much of the disk as a repository. */
const maxFiles = 50

export function createExports({ store, repositories, files, dataDir }: Deps): Exports {
  const folder = join(dataDir, exportsName)
  /** The latest export that is being sent, by DID and `since`. */
  const latest = new Map<string, OpenExport>()
  let openFiles = 0

  /** Reads the repository again if another commit came meanwhile: the account may have been deleted and imported again. */
  async function read(did: DidString, since: string | undefined): Promise<OpenExport | undefined> {
    for (;;) {
      const head = repos.findHead(store, did)
      const last = latest.get(keyOf(did, since))
      if (!head || last?.commit === head.commit) return head && last
      const isCurrent = () => repos.findHead(store, did)?.commit === head.commit
      try {
        const parts = carParts(head.commit, blocksOf(store, did, head, since))
        const content = await spool(files, folder, parts)
        if (isCurrent()) return { commit: head.commit, content, readers: 0 }
        await content.remove()
      } catch (error) {
        if (isCurrent()) throw error
      }
    }
  }

  async function leave(key: string, one: OpenExport): Promise<void> {
    one.readers--
    if (one.readers > 0) return
    if (latest.get(key) === one) latest.delete(key)
    if (one.content.isFile) openFiles--
    await one.content.remove()
  }

  return {
    open: (did, since) =>
      repositories.serialize(did, async () => {
        if (openFiles >= maxFiles) throw tooMany()
        const one = await read(did, since)
        if (!one) return undefined
        const key = keyOf(did, since)
        latest.set(key, one)
        if (one.readers === 0 && one.content.isFile) openFiles++
        one.readers++
        return streamOf(one.content, () => void leave(key, one).catch(() => {}))
      }),
    removeTemporaries: () => files.removeDir(folder),
  }
}

const keyOf = (did: string, since = '') => `${did} ${since}`

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
  const content = await exports.open(did)
  if (content) await saveAs(nodeFiles, file, content)
  return content !== undefined
}
