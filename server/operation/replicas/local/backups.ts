/** Makes and lists the backups of a data directory. */
import { join } from 'node:path'
import { keepBlobs, removeUnusedBlobs } from '../../../platform/store/backups/backup-blobs.ts'
import { whileLocked } from '../../../platform/store/backups/backup-lock.ts'
import { copyDatabase } from '../../../platform/store/backups/copy-data.ts'
import { hasSpace } from '../../../platform/store/backups/space.ts'
import type { Database } from '../../../platform/store/database.ts'
import { StoreUnavailable } from '../../../platform/store/errors.ts'
import { type Files, nodeFiles } from '../../../platform/store/files.ts'
import { blobsName, databaseName } from '../../../platform/store/layout.ts'
import { type Base, baseName, endName, partName, readContent } from '../catalog.ts'
import { writeHead } from '../lease.ts'
import { compressedShare } from '../pending-base.ts'
import { dayMs } from '../retention.ts'
import { endOf, putVerified } from '../send.ts'
import { type BackupProof, readProof, writeProof } from './proof.ts'
import { expiredBackups, removableBackups } from './retention.ts'
import { backupFolder, localTarget, localTimeline, pendingName } from './target.ts'

export interface Backup extends Base {
  /** Of the compressed database. */
  readonly bytes: number
  /** The result of the last check; undefined without one. */
  readonly proof: BackupProof | undefined
}

interface Options {
  readonly dataDir: string
  readonly now: () => Date
  /** The running server; without it the data are copied as they are on disk, also beside a server in another process. */
  readonly store?: Pick<Database, 'copyTo'> | undefined
  readonly files?: Files
  /** Removes old backups if the disk has too little space otherwise. */
  readonly mayMakeSpace?: boolean
}

/** Media that are deleted while the database is copied make it necessary to copy it again. */
const copyAttempts = 3

/**
 * Makes a backup, and removes those that are no longer kept. Damaged pages are left out: the backup is then partial.
 * @throws StoreUnavailable with too little free space, StoreDamaged
 */
export async function makeBackup(options: Options): Promise<Backup> {
  const { dataDir, files = nodeFiles } = options
  return whileLocked(files, dataDir, async () => {
    await assertSpace(options, files)
    const name = await writeBackup(options, files)
    await removeExpired(options, files)
    const made = (await listBackups(dataDir, files)).find((backup) => backup.name === name)
    if (!made) throw new StoreUnavailable('The backup is not in its folder. Check the disk, then try again.')
    return made
  })
}

/** Returns the name of the base. */
async function writeBackup({ dataDir, now, store }: Options, files: Files): Promise<string> {
  const folder = backupFolder(dataDir)
  const pending = join(folder, pendingName)
  const target = localTarget(dataDir, files)
  const copyOptions = { mayBePartial: true }
  try {
    for (let attempt = 1; ; attempt++) {
      const at = now()
      const copy = await (store?.copyTo(pending, copyOptions) ??
        copyDatabase(files, dataDir, pending, copyOptions))
      const missing = await keepBlobs(files, dataDir, join(folder, blobsName), copy.blobs)
      if (missing.size > 0 && attempt < copyAttempts) continue
      const name = baseName(localTimeline, copy.seq, at, 1, copy.leftOut.length > 0)
      const part = partName(name, 1, await files.size(pending))
      await writeHead(target)
      const kept = copy.blobs.filter((cid) => !missing.has(cid))
      await target.place.put(`${name}/${mediaListName}`, Buffer.from(`${kept.join('\n')}\n`))
      await files.rename(pending, join(folder, part))
      await files.syncDir(join(folder, name))
      await putVerified(target.place, endName(name), endOf(copy, 1))
      if (copy.leftOut.length > 0) await writeProof(files, join(folder, name), partialProof(copy.leftOut, at))
      return name
    }
  } finally {
    await files.remove(pending).catch(() => {})
  }
}

/** Pages that are named in a sentence. */
const maxNamed = 20

/** The problem of a backup without these pages. */
function partialProof(pages: readonly number[], checkedAt: Date) {
  const numbers = pages.slice(0, maxNamed).join(', ') + (pages.length > maxNamed ? ', …' : '')
  const problem = `It is incomplete: damaged pages of the database are left out (${numbers}).`
  return { checkedAt, problem, missing: undefined }
}

const mediaListName = 'media'

/** Makes sure that the next backup fits on the disk. Removes older ones only if that suffices. @throws StoreUnavailable */
async function assertSpace({ dataDir, now, mayMakeSpace }: Options, files: Files): Promise<void> {
  const folder = backupFolder(dataDir)
  const needed = (await files.size(join(dataDir, databaseName)).catch(() => 0)) * compressedShare
  if (await hasSpace(files, folder, needed)) return
  const old = mayMakeSpace ? removableBackups(await listBackups(dataDir, files), now()) : []
  const freed = old.reduce((sum, { bytes }) => sum + bytes, 0)
  if (await hasSpace(files, folder, needed, freed)) {
    for (const backup of old) {
      await removeBackup(dataDir, files, backup)
      if (await hasSpace(files, folder, needed)) return
    }
  }
  throw new StoreUnavailable(
    'The disk has too little free space for a backup. Free disk space, then try again.',
  )
}

async function removeExpired({ dataDir, now }: Options, files: Files): Promise<void> {
  for (const expired of expiredBackups(await listBackups(dataDir, files), now())) {
    await removeBackup(dataDir, files, expired)
  }
  const { bases, unfinished } = await readContent(localTarget(dataDir, files))
  const lists = [...bases, ...unfinished].map(({ name }) => join(backupFolder(dataDir), name, mediaListName))
  await removeUnusedBlobs(files, join(backupFolder(dataDir), blobsName), lists)
}

/** The end first: a base without it counts as incomplete. */
async function removeBackup(dataDir: string, files: Files, { name }: Pick<Base, 'name'>): Promise<void> {
  const { place } = localTarget(dataDir, files)
  await place.remove(endName(name))
  await place.remove(name)
}

/** Lists the backups of a data directory, newest first. */
export async function listBackups(dataDir: string, files: Files = nodeFiles): Promise<Backup[]> {
  const { bases } = await readContent(localTarget(dataDir, files))
  const backups = bases.map(async (base) => ({
    ...base,
    bytes: base.parts.reduce((sum, part) => sum + Number(/-(\d+)$/.exec(part)?.[1]), 0),
    proof: await readProof(files, join(backupFolder(dataDir), base.name)),
  }))
  return (await Promise.all(backups)).sort((a, b) => b.at.getTime() - a.at.getTime())
}

/** Whether a day has passed since the newest backup, which may be partial. */
export async function backupIsDue(dataDir: string, now: Date, files: Files = nodeFiles): Promise<boolean> {
  // A backup from the future was made while the clock was wrong.
  const newest = (await listBackups(dataDir, files)).find(({ at }) => at <= now)
  return newest === undefined || now.getTime() - newest.at.getTime() >= dayMs
}
