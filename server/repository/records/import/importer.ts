/** Imports repositories from archives of other servers. */
import { join } from 'node:path'
import type { DidString } from '@atproto/syntax'
import type { Platform } from '../../../platform/platform.ts'
import { protocolError } from '../../../platform/xrpc/xrpc-errors.ts'
import type { Writer } from '../../../store/database.ts'
import type { Files } from '../../../store/files/files.ts'
import { importsName } from '../../../store/files/layout.ts'
import { receiveFile, withDiskErrors } from '../../../store/files/receive-file.ts'
import { StoreUnavailable } from '../../../store/files/store-errors.ts'
import { temporaryName } from '../../../util/random.ts'
import type { Blobs } from '../../blobs/blobs.ts'
import * as imports from '../../tables/imports.ts'
import type { Repositories } from '../repositories.ts'
import type { StoredNames } from '../stored-names.ts'
import { type Applied, apply, requireDeactivated } from './apply.ts'
import { discard, finish, type ImportListener } from './finish.ts'
import { isInvalidArchive } from './invalid-archive.ts'
import { createVerifier } from './verifier.ts'

export interface Importer {
  /**
   * Replaces the repository of a deactivated account by the one of an archive. Resolves when it is on disk. No account is notified
   * of imported records. An error changes nothing.
   * @throws InvalidRequest
   */
  importArchive(did: DidString, archive: AsyncIterable<Uint8Array>): Promise<void>
  /**
   * Removes the files of earlier processes, and undoes or completes their imports in the background, which takes minutes for large ones.
   * Call it before the first request.
   */
  recover(): Promise<void>
}

interface Deps extends Pick<Platform, 'store' | 'names' | 'background' | 'now' | 'signal'> {
  readonly files: Files
  readonly dataDir: string
  readonly repositories: Repositories
  readonly storedNames: Pick<StoredNames, 'rename'>
  readonly blobs: Pick<Blobs, 'sweep'>
  readonly onUnloadable: (error: Error) => void
  /** In the order in which they are called. */
  readonly onImported: readonly ImportListener[]
}

export function createImporter(options: Deps): Importer {
  const { store, files, repositories, storedNames, blobs, background, signal } = options
  const folder = join(options.dataDir, importsName)
  const verify = createVerifier({ ...options, idleMs: 0 })
  const deps = { ...options, nextTid: repositories.newKey }

  const untilClosed = {
    keepPace: () => store.keepPace(),
    transact: async <T>(work: (tx: Writer) => T): Promise<T> => {
      signal.throwIfAborted()
      return store.transact(work)
    },
  }

  /** Undoes the import of an account, or completes it if it is committed. Call it in the queue of writes to the repository. */
  async function endAnyOf(did: string): Promise<void> {
    const begun = imports.find(store, did)
    if (!begun) return
    const isUndone = begun.phase === imports.phases.staging || begun.account === null
    if (isUndone) return discard(untilClosed, begun)
    await finish({ store: untilClosed, onImported: options.onImported }, begun)
    background.run('deletion of blobs', () => blobs.sweep())
  }

  /** Does nothing when the server closes: the next start goes on. */
  async function recoverOne(did: DidString): Promise<void> {
    await repositories
      .serialize(did, () => endAnyOf(did))
      .catch((error: unknown) => {
        if (!signal.aborted) throw error
      })
  }

  async function replace(did: DidString, archive: Applied): Promise<void> {
    await endAnyOf(did)
    try {
      await apply(deps, did, archive)
    } finally {
      // When the server closes, the next start does this.
      if (!signal.aborted) await endAnyOf(did)
    }
  }

  return {
    async importArchive(did, body) {
      const { signingKeyDid } = requireDeactivated(store, did)
      store.assertRoom()
      const path = join(folder, temporaryName())
      const [archive, staged] = [`${path}.car`, `${path}.staged`]
      try {
        await files.makeDir(folder)
        const bytes = await receiveFile(files, archive, body)
        requireDeactivated(store, did)
        store.assertRoom(1, bytes)
        const verified = await verify({ archive, staged, did })
        await files.remove(archive)
        const applied = { ...verified, path: staged, signingKeyDid }
        await repositories.serialize(did, () => replace(did, applied))
        await storedNames.rename(did)
      } catch (error) {
        if (isInvalidArchive(error)) throw protocolError('InvalidRequest', error.message)
        if (signal.aborted) throw new StoreUnavailable('The server is closing. Send the import again.')
        throw withDiskErrors(error)
      } finally {
        await files.remove(archive)
        await files.remove(staged)
      }
    },
    async recover() {
      await files.removeDir(folder)
      for (const { did } of imports.all(store)) background.run('end of an import', () => recoverOne(did))
    },
  }
}
