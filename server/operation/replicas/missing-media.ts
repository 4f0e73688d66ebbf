/** Fetches media that this computer has lost from a place that has them. */
import { dirname, join } from 'node:path'
import * as damaged from '../../repository/tables/damaged-blobs.ts'
import { placeBlob } from '../../store/files/blob-files.ts'
import type { Files } from '../../store/files/files.ts'
import { backupsName, blobPath, blobsName, copiesName } from '../../store/files/layout.ts'
import type { Reader } from '../../store/pages/reader.ts'
import { fetchOne } from './receive.ts'
import { listMedia, type Target } from './send.ts'

interface Deps {
  readonly store: Reader
  readonly files: Files
  readonly dataDir: string
  /** Repairs media from their copies among the backups. */
  readonly repairMedia: (cids: readonly string[]) => Promise<unknown>
  readonly signal?: AbortSignal | undefined
}

/** Puts the media that are marked as missing among those of the backups, and repairs them from there. Returns how many the place had. */
export async function fetchMissingMedia(
  target: Target,
  { store, files, dataDir, repairMedia, signal }: Deps,
): Promise<number> {
  const marked = damaged.all(store)
  if (marked.length === 0) return 0
  const there = await listMedia(target)
  const scratch = join(dataDir, copiesName, 'missing-media')
  const pool = join(dataDir, backupsName, blobsName)
  let fetched = 0
  try {
    for (const cid of marked) {
      signal?.throwIfAborted()
      const parts = there.get(target.sealer.hiddenName(cid))
      if (!parts || !(await fetchOne(target, files, scratch, cid, parts))) continue
      await files.makeDir(dirname(blobPath(pool, cid)))
      await placeBlob(files, blobPath(scratch, cid), blobPath(pool, cid), cid)
      await repairMedia([cid])
      fetched++
    }
  } finally {
    await files.removeDir(scratch)
  }
  return fetched
}
