/** Gives the copy of a database its place among the backups. */
import { hash } from 'node:crypto'
import { join } from 'node:path'
import { keepBlobs, removeUnusedBlobs } from '../../../store/backups/backup-blobs.ts'
import type { DatabaseCopy } from '../../../store/backups/copy-data.ts'
import type { Files } from '../../../store/files/files.ts'
import { blobsName } from '../../../store/files/layout.ts'
import { type Base, baseName, basesFolder, endName, partName } from '../catalog.ts'
import { writeHead } from '../lease.ts'
import { getObject, readEnd } from '../receive.ts'
import { endOf, putVerified, type Target } from '../send.ts'
import { abandonedBackups, damagedBackups, listBackups, removeBackup } from './list.ts'
import { expiredBackups } from './local-retention.ts'
import { writeProof } from './proof.ts'
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
  const list = Buffer.from(`${kept.join('\n')}\n`)
  await place.put(`${name}/${mediaListName}`, list)
  await files.rename(pending, join(folder, part))
  await files.syncDir(join(folder, name))
  await putVerified(place, endName(name), endOf({ ...copy, media: hash('sha256', list) }, 1))
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
  const complete = await listBackups(dataDir, files)
  const isExpired = (one: Base) => expiredBackups([...complete, one], now).includes(one)
  // Damaged ones go when they would go as complete ones.
  const damaged = (await damagedBackups(dataDir, files)).filter(isExpired)
  // The caller holds the lock: their processes were killed.
  const abandoned = await abandonedBackups(dataDir, files)
  for (const base of [...expiredBackups(complete, now), ...damaged, ...abandoned]) {
    await removeBackup(dataDir, files, base)
  }
  await removeUnusedBlobs(files, join(backupFolder(dataDir), blobsName), mediaLists(files, dataDir))
}

/** Yields the lists of media of all backups, also of folders that a person renamed; undefined for a damaged one. */
export async function* mediaLists(files: Files, dataDir: string): AsyncGenerator<Uint8Array | undefined> {
  const target = localTarget(dataDir, files)
  const folder = join(backupFolder(dataDir), basesFolder)
  for (const name of await files.list(folder)) {
    if (!(await files.measureDir(join(folder, name)))) continue
    yield await readMediaList(target, `${basesFolder}/${name}`).catch(() => undefined)
  }
}

async function readMediaList(target: Target, base: string): Promise<Uint8Array | undefined> {
  const { media } = await readEnd(target, base)
  const list = await getObject(target, `${base}/${mediaListName}`)
  return media === hash('sha256', list) ? list : undefined
}
