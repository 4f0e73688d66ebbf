/** Gives the copy of a database its place among the backups. */
import { join } from 'node:path'
import { keepBlobs, removeUnusedBlobs } from '../../../platform/store/backups/backup-blobs.ts'
import type { DatabaseCopy } from '../../../platform/store/backups/copy-data.ts'
import type { Files } from '../../../platform/store/files.ts'
import { blobsName } from '../../../platform/store/layout.ts'
import { baseName, basesFolder, endName, partName, readContent } from '../catalog.ts'
import { writeHead } from '../lease.ts'
import { endOf, putVerified } from '../send.ts'
import { listBackups, removeBackup } from './list.ts'
import { writeProof } from './proof.ts'
import { expiredBackups } from './retention.ts'
import { backupFolder, localTarget, localTimeline } from './target.ts'

export interface PublishJob {
  readonly dataDir: string
  /** The compressed database, in the folder of backups. */
  readonly pending: string
  readonly copy: DatabaseCopy
  readonly at: Date
  /** Whether media that are no longer there are left out. */
  readonly isLast: boolean
}

/** The file of a base that lists the CIDs of its media. */
const mediaListName = 'media'
/** Pages that are named in a sentence. */
const maxNamed = 20

/** Also removes expired backups. Returns the name of the base; undefined if media are no longer there. The caller holds the lock. */
export async function publish(
  files: Files,
  { dataDir, pending, copy, at, isLast }: PublishJob,
): Promise<string | undefined> {
  const folder = backupFolder(dataDir)
  const { place, ...target } = localTarget(dataDir, files)
  const missing = await keepBlobs(files, dataDir, join(folder, blobsName), copy.blobs)
  if (missing.size > 0 && !isLast) return undefined
  const name = baseName(localTimeline(at), copy.seq, at, 1, copy.leftOut.length > 0)
  const part = partName(name, 1, await files.size(pending))
  await writeHead({ place, ...target })
  const kept = copy.blobs.filter((cid) => !missing.has(cid))
  await place.put(`${name}/${mediaListName}`, Buffer.from(`${kept.join('\n')}\n`))
  await files.rename(pending, join(folder, part))
  await files.syncDir(join(folder, name))
  await putVerified(place, endName(name), endOf(copy, 1))
  if (copy.leftOut.length > 0) await writeProof(files, join(folder, name), partialProof(copy.leftOut, at))
  await removeExpired(files, dataDir, at)
  return name
}

/** The problem of a backup without these pages. */
function partialProof(pages: readonly number[], checkedAt: Date) {
  const numbers = pages.slice(0, maxNamed).join(', ') + (pages.length > maxNamed ? ', …' : '')
  const problem = `It is incomplete: damaged pages of the database are left out (${numbers}).`
  return { checkedAt, problem, missing: undefined }
}

async function removeExpired(files: Files, dataDir: string, now: Date): Promise<void> {
  for (const expired of expiredBackups(await listBackups(dataDir, files), now)) {
    await removeBackup(dataDir, files, expired)
  }
  // A process that was killed has left them: the caller holds the lock.
  const { unfinished } = await readContent(localTarget(dataDir, files))
  for (const base of unfinished) await removeBackup(dataDir, files, base)
  const folder = join(backupFolder(dataDir), basesFolder)
  const lists: string[] = []
  // Of folders that a person renamed, too.
  for (const name of await files.list(folder))
    if (await files.measureDir(join(folder, name))) lists.push(join(folder, name, mediaListName))
  await removeUnusedBlobs(files, join(backupFolder(dataDir), blobsName), lists)
}
