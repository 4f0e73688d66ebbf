/** Copies of repositories that are being sent: read once for all readers of a commit, and removed with the last of them. */
import type { DidString } from '@atproto/syntax'
import { protocolError } from '../../platform/xrpc/xrpc-errors.ts'
import type { Database } from '../../store/database.ts'
import type { Files } from '../../store/files/files.ts'
import { createKeyedSerializer } from '../../util/serialize.ts'
import * as repos from '../tables/repos.ts'
import { encodeBlocks } from './dated-blocks.ts'
import type { Pin } from './pins.ts'
import type { Repositories } from './repositories.ts'
import { blocksOf } from './repository-blocks.ts'
import { type Spool, spool, spoolFew } from './spool.ts'

/** A copy for one reader. */
export interface OpenCopy {
  readonly commit: string
  chunks(): Iterable<Uint8Array> | AsyncIterable<Uint8Array>
  /** Call it when the reader has ended. */
  leave(): Promise<void>
}

export interface Copies {
  /**
   * Returns a copy of the latest commit, which may contain blocks that are as old as `since`; undefined if there is no repository.
   * @throws NotEnoughResources when writes are too many for it to be read
   */
  open(did: DidString, since: string | undefined): Promise<OpenCopy | undefined>
}

interface Deps {
  readonly store: Database
  readonly repositories: Repositories
  readonly files: Files
  /** Folder for temporary files. */
  readonly folder: string
}

interface Copy {
  readonly commit: string
  readonly content: Spool
  readers: number
}

/** A copy that will be read, for all readers that come until then. */
interface Planned {
  readers: number
  readonly copy: Promise<Copy | undefined>
}

const maxAttempts = 3
/** Of the disk's reserves, as many stay free: an account can leave a server whose disk refuses new records. */
const exportReserves = 0.5

export function createCopies({ store, repositories, files, folder }: Deps): Copies {
  /** The latest copy that is being sent, by DID. */
  const latest = new Map<string, Copy>()
  const planned = new Map<string, Planned>()
  const inOrder = createKeyedSerializer<string>()

  /** Returns a copy of the latest commit for some readers. Begins again if more was removed of a commit than is kept for readers. */
  async function read(did: DidString, readers: () => number): Promise<Copy | undefined> {
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const pin = await repositories.pin(did)
      if (!pin) return undefined
      const { commit } = pin.head
      const last = latest.get(did)
      try {
        const copy = last?.commit === commit ? last : { commit, content: await readAll(did, pin), readers: 0 }
        copy.readers += readers()
        latest.set(did, copy)
        return copy
      } catch (error) {
        if (isLatest(did, pin)) throw error
      } finally {
        pin.release()
      }
    }
    throw protocolError(
      'NotEnoughResources',
      'This repository changes faster than it can be read. Try again later.',
    )
  }

  function isLatest(did: DidString, { head }: Pin): boolean {
    return repos.findHead(store, did)?.commit === head.commit
  }

  const readAll = (did: DidString, pin: Pin) =>
    spool(files, folder, encodeBlocks(blocksOf(store, did, pin)), () => store.assertRoom(exportReserves))

  /** Reads the blocks newer than a revision, if they are few. */
  async function readNewer(did: DidString, since: string): Promise<OpenCopy | undefined> {
    const pin = await repositories.pin(did)
    if (!pin) return undefined
    try {
      const content = await spoolFew(encodeBlocks(blocksOf(store, did, pin, since)))
      return content && { commit: pin.head.commit, chunks: content.chunks, leave: async () => {} }
    } catch (error) {
      if (isLatest(did, pin)) throw error
      return undefined
    } finally {
      pin.release()
    }
  }

  /** Copies of a repository are read one after the other: readers that come meanwhile share the next one. */
  function plan(did: DidString): Planned {
    const next: Planned = {
      readers: 0,
      copy: inOrder(did, () => {
        planned.delete(did)
        return read(did, () => next.readers)
      }),
    }
    planned.set(did, next)
    return next
  }

  async function leave(did: DidString, copy: Copy): Promise<void> {
    copy.readers--
    if (copy.readers > 0) return
    if (latest.get(did) === copy) latest.delete(did)
    await copy.content.remove()
  }

  return {
    async open(did, since) {
      const few = since === undefined ? undefined : await readNewer(did, since)
      if (few) return few
      const next = planned.get(did) ?? plan(did)
      next.readers++
      const copy = await next.copy
      return copy && { commit: copy.commit, chunks: copy.content.chunks, leave: () => leave(did, copy) }
    },
  }
}
