/**
 * Blobs: files of accounts, which their records refer to.
 *
 * The file is written before its row and deleted after it, so a row always has a file. A crash can leave an orphan of either;
 * `sweep` deletes it.
 *
 * Small versions of pictures are in `thumbnails/`, videos as playlists with fragments in `videos/`; threads make both.
 */
import { join } from 'node:path'
import type { Platform } from '../../platform/platform.ts'
import type { BinaryInput } from '../../platform/xrpc/method.ts'
import { protocolError } from '../../platform/xrpc/xrpc-errors.ts'
import { blobsIn, placeBlob } from '../../store/files/blob-files.ts'
import { type Files, isMissing } from '../../store/files/files.ts'
import { backupsName, blobPath, blobsName, temporarySuffix } from '../../store/files/layout.ts'
import { ofBlob } from '../../store/tables/takedowns.ts'
import { createKeyedSerializer } from '../../util/serialize.ts'
import { requireWriter } from '../access/writer.ts'
import * as blobs from '../tables/blobs.ts'
import * as damaged from '../tables/damaged-blobs.ts'
import type { Room } from './blob-quota.ts'
import { type Examined, examineBlob } from './examine.ts'
import { type Received, receive } from './receive.ts'

export interface Blobs {
  /** Stores an upload and resolves once it is on disk. */
  upload(did: string, input: BinaryInput): Promise<blobs.Blob>
  /** Reads a part of a blob. */
  read(cid: string, start: number, end: number): AsyncIterable<Uint8Array>
  /** Whether the file of a blob is there, with its size. If it is not, it is repaired from the backups, or marked as damaged. */
  isReadable(blob: blobs.Blob): Promise<boolean>
  /** Deletes blobs that an account no longer refers to. */
  release(did: string, cids: readonly string[]): Promise<void>
  /** Deletes uploads that no record has referred to in time. Waits while the clock is implausible. */
  expire(): Promise<void>
  /** Removes temporary files of earlier processes. Call it before the first upload. */
  removeTemporaries(): Promise<void>
  /**
   * Reads the files of blobs that may be damaged. Repairs them from backups where possible; the others are marked and
   * count as missing until they are uploaded again. Returns the state of each blob that is still stored.
   */
  examine(cids: readonly string[]): Promise<Examined[]>
  /** Deletes unreferenced blobs, and files that belong to no blob. Examines marked blobs again. */
  sweep(): Promise<void>
}

interface Deps extends Pick<Platform, 'store' | 'log' | 'now'> {
  readonly files: Files
  readonly dataDir: string
  /** Limits uploads; they have no limit when absent. */
  readonly room?: Room
  /** Files that were made of a blob go with it. */
  readonly removeMade?: (cid: string) => Promise<void>
  readonly clock: { isPlausible(): boolean }
}

/** An upload is kept for this long without a reference. */
const keepUploadsMs = 24 * 60 * 60_000
const pageSize = 500
const unknownType = 'application/octet-stream'

export function createBlobs({ store, files, dataDir, log, now, clock, room, removeMade }: Deps): Blobs {
  const folder = join(dataDir, blobsName)
  const backupFolder = join(dataDir, backupsName, blobsName)
  const pathOf = (cid: string) => blobPath(folder, cid)
  /** The row and the file of a blob change together. */
  const serialize = createKeyedSerializer<string>()

  async function sizeOf(cid: string): Promise<number | undefined> {
    try {
      return await files.size(pathOf(cid))
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }

  /** Gives the upload its name, in place of a file that may be damaged. Returns once the name is on disk. */
  async function place({ path, cid }: Received): Promise<void> {
    await placeBlob(files, path, pathOf(cid), cid)
    await files.syncDir(folder)
  }

  /** See `Blobs.examine`. The caller has the turn of the blob. Undefined for one that was deleted. */
  async function examineOne(cid: string): Promise<Examined | undefined> {
    if (!blobs.isStored(store, cid)) return undefined
    const temporary = join(folder, `${cid}${temporarySuffix}`)
    const paths = { path: pathOf(cid), kept: blobPath(backupFolder, cid), temporary }
    const found = await examineBlob(files, { cid, ...paths })
    const isDamaged = found === 'damaged'
    if (isDamaged !== damaged.isMarked(store, cid)) {
      await store.transact((tx) =>
        isDamaged ? damaged.mark(tx, cid, now().getTime()) : damaged.clear(tx, cid),
      )
      if (isDamaged) log.error({ cid }, 'media file is missing or damaged, and no backup has a good copy')
    }
    if (found === 'repaired') log.warn({ cid }, 'media file repaired from its copy in the backups')
    if (found === 'backup repaired') log.warn({ cid }, 'copy of a media file in the backups repaired')
    return found
  }

  async function examine(cids: readonly string[]): Promise<Examined[]> {
    const found: Examined[] = []
    for (const cid of cids) found.push((await serialize(cid, () => examineOne(cid))) ?? 'intact')
    return found
  }

  async function keep(did: string, received: Received, declared: string): Promise<blobs.Blob> {
    const { cid, size, detected } = received
    const mimeType = detected ?? (declared === '*/*' ? unknownType : declared)
    return serialize(cid, async () => {
      try {
        if (ofBlob(store, did, cid)) {
          throw protocolError('InvalidRequest', 'This file has been taken down and cannot be uploaded again')
        }
        const wasDamaged = damaged.isMarked(store, cid)
        await place(received)
        const expiresAt = now().getTime() + keepUploadsMs
        const blob = await store.transact((tx) => {
          requireWriter(tx, did)
          const stored = blobs.upload(tx, did, { cid, mimeType, size }, expiresAt)
          room?.check(tx, did)
          return stored
        })
        // The copy in the backups has the same damage.
        if (wasDamaged)
          await examineOne(cid).catch((err) => log.warn({ err, cid }, 'repair of a copy failed'))
        return blob
      } catch (error) {
        await removeFile(cid).catch(() => {})
        throw error
      }
    })
  }

  /** Removes the file of a blob that no account has. Waits until that is on disk, or a crash could bring a row back. */
  async function removeFile(cid: string): Promise<void> {
    const { epoch } = store
    if (blobs.isStored(store, cid)) return
    await store.settled(epoch)
    await files.remove(pathOf(cid))
    await removeMade?.(cid)
  }

  async function removeFiles(cids: readonly string[]): Promise<void> {
    for (const cid of cids) await serialize(cid, () => removeFile(cid))
  }

  async function removeUnusedRows(): Promise<void> {
    for (let after: blobs.BlobKey | undefined; ; ) {
      const page = blobs.keptPage(store, after, pageSize)
      const unused = page.filter(({ isKept }) => isKept === 0)
      if (unused.length > 0) {
        await store.transact((tx) => {
          for (const key of unused) blobs.removeUnusedRow(tx, key)
        })
      }
      after = page.at(-1)
      if (page.length < pageSize) return
    }
  }

  return {
    async upload(did, { encoding, ...input }) {
      requireWriter(store, did)
      store.assertRoom()
      const received = await receive(files, folder, room?.upload(did, input) ?? input.body)
      try {
        return await keep(did, received, encoding)
      } finally {
        await files.remove(received.path)
      }
    },
    read: (cid, start, end) => files.chunks(pathOf(cid), start, end),
    async isReadable({ cid, size }) {
      if ((await sizeOf(cid)) === size) return true
      const [found] = await examine([cid])
      return found !== 'damaged' && (await sizeOf(cid)) === size
    },
    async release(did, cids) {
      const removed = await store.transact((tx) => cids.filter((cid) => blobs.removeUnused(tx, did, cid)))
      await removeFiles(removed)
    },
    async expire() {
      if (!clock.isPlausible()) return
      await removeFiles(await store.transact((tx) => blobs.expire(tx, now().getTime())))
    },
    async removeTemporaries() {
      const names = await files.list(folder)
      for (const name of names) if (name.endsWith(temporarySuffix)) await files.remove(join(folder, name))
    },
    examine,
    async sweep() {
      await removeUnusedRows()
      await examine(damaged.all(store))
      for await (const cids of blobsIn(files, folder)) {
        await removeFiles(cids.filter((cid) => !blobs.isStored(store, cid)))
      }
    },
  }
}
