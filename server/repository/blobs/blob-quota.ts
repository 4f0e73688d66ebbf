/** The room for files that accounts send: the quota of each, and the reserve of the disk. */
import type { Config } from '../../platform/config/config.ts'
import type { BinaryInput } from '../../platform/xrpc/method.ts'
import { protocolError } from '../../platform/xrpc/xrpc-errors.ts'
import type { Database, Reader } from '../../store/database.ts'
import { StoreFull } from '../../store/files/store-errors.ts'
import { findByDid } from '../../store/tables/accounts.ts'
import * as blobs from '../tables/blobs.ts'

type Incoming = Pick<BinaryInput, 'length' | 'body'>

export interface Room {
  /** Passes an upload on while there is room. @throws PayloadTooLarge beyond the quota, StoreFull below the reserve */
  upload(did: string, input: Incoming): AsyncIterable<Uint8Array>
  /** As `upload`, for an archive of an account's repository. */
  archive(did: string, input: Incoming): AsyncIterable<Uint8Array>
  /** Checks the quota in the transaction that stores an upload: uploads at once count together. @throws PayloadTooLarge */
  check(tx: Reader, did: string): void
  /** The most bytes of media that an account may have; undefined for the owner. */
  mediaLimit(did: string): number | undefined
}

interface Deps {
  readonly config: Pick<Config, 'accountMediaLimit' | 'accountImportLimit' | 'diskReserve'>
  readonly store: Pick<Database, 'get' | 'all' | 'freeSpace'>
}

/** The free space is read again after so many bytes. */
const checkEveryBytes = 1_000_000

export function createRoom({ config, store }: Deps): Room {
  /** Bytes that accepted bodies have announced and not sent yet. */
  let announced = 0

  async function checkReserve(): Promise<void> {
    const free = await store.freeSpace.refresh()
    if (free - announced < config.diskReserve) {
      throw new StoreFull('The disk of this server is almost full. Ask its owner to free disk space.')
    }
  }

  /** @param limit most bytes of this body */
  async function* limited(
    { length = 0, body }: Incoming,
    limit: number,
    message: string,
  ): AsyncIterable<Uint8Array> {
    if (length > limit) throw protocolError('PayloadTooLarge', message)
    let left = length
    announced += left
    try {
      await checkReserve()
      let size = 0
      let checked = 0
      for await (const chunk of body) {
        size += chunk.length
        if (size > limit) throw protocolError('PayloadTooLarge', message)
        const arrived = Math.min(left, chunk.length)
        left -= arrived
        announced -= arrived
        if (size - checked >= checkEveryBytes) {
          checked = size
          await checkReserve()
        }
        yield chunk
      }
    } finally {
      announced -= left
    }
  }

  const isOwner = (db: Reader, did: string) => findByDid(db, did)?.isOwner === 1
  const mediaMessage = `This account may have ${megabytes(config.accountMediaLimit)} MB of media. Delete some first.`
  const importMessage = `A repository may have ${megabytes(config.accountImportLimit)} MB on this server.`
  const mediaLimit = (did: string) => (isOwner(store, did) ? undefined : config.accountMediaLimit)

  return {
    mediaLimit,
    upload(did, input) {
      const limit = mediaLimit(did)
      const left = limit === undefined ? Number.POSITIVE_INFINITY : limit - blobs.bytesOf(store, did)
      return limited(input, left, mediaMessage)
    },
    archive(did, input) {
      const limit = isOwner(store, did) ? Number.POSITIVE_INFINITY : config.accountImportLimit
      return limited(input, limit, importMessage)
    },
    check(tx, did) {
      if (isOwner(tx, did) || blobs.bytesOf(tx, did) <= config.accountMediaLimit) return
      throw protocolError('PayloadTooLarge', mediaMessage)
    },
  }
}

function megabytes(bytes: number): number {
  return Math.max(1, Math.round(bytes / 1e6))
}
