/** Makes and lists the backups of a data directory. */
import { join } from 'node:path'
import { keepBlobs, removeUnusedBlobs } from '../../../platform/store/backups/backup-blobs.ts'
import { whileLocked } from '../../../platform/store/backups/backup-lock.ts'
import { copyDatabase, type DatabaseCopy } from '../../../platform/store/backups/copy-data.ts'
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
  const { dataDir, store, files = nodeFiles } = options
  const locked = <T>(work: () => Promise<T>) => whileLocked(files, dataDir, work)
  const attempt = async () => {
    const name = await writeBackup(options, files, store ? locked : (work) => work())
    const made = (await listBackups(dataDir, files)).find((backup) => backup.name === name)
    if (made) return made
    throw new StoreUnavailable('The backup is not in its folder. Check the disk, then try again.')
  }
  // A server waits with its checkpoint for the lock of another process, and with its own copy for its checkpoint.
  return store ? attempt() : locked(attempt)
}

/** Returns the name of the base. @param locked runs work while no other process makes a backup */
async function writeBackup(
  options: Options,
  files: Files,
  locked: <T>(work: () => Promise<T>) => Promise<T>,
): Promise<string> {
  const { dataDir, now, store } = options
  const pending = join(backupFolder(dataDir), pendingName())
  const copyOptions = { mayBePartial: true }
  await files.makeDir(backupFolder(dataDir))
  await assertSpace(options, files)
  try {
    for (let left = copyAttempts; ; left--) {
      const at = now()
      const copy = await (store?.copyTo(pending, copyOptions) ??
        copyDatabase(files, dataDir, pending, copyOptions))
      const name = await locked(() => publish(options, files, { pending, copy, at, isLast: left === 1 }))
      if (name !== undefined) return name
    }
  } finally {
    await files.remove(pending).catch(() => {})
  }
}

interface Copied {
  /** The compressed database. */
  readonly pending: string
  readonly copy: DatabaseCopy
  readonly at: Date
  /** Whether media that are no longer there are left out. */
  readonly isLast: boolean
}

/** Gives a copy its place, and removes expired backups. Returns the name of the base; undefined if media are no longer there. */
async function publish(
  options: Options,
  files: Files,
  { pending, copy, at, isLast }: Copied,
): Promise<string | undefined> {
  const { dataDir } = options
  const folder = backupFolder(dataDir)
  const target = localTarget(dataDir, files)
  const missing = await keepBlobs(files, dataDir, join(folder, blobsName), copy.blobs)
  if (missing.size > 0 && !isLast) return undefined
  const name = baseName(localTimeline, copy.seq, at, 1, copy.leftOut.length > 0)
  const part = partName(name, 1, await files.size(pending))
  await writeHead(target)
  const kept = copy.blobs.filter((cid) => !missing.has(cid))
  await target.place.put(`${name}/${mediaListName}`, Buffer.from(`${kept.join('\n')}\n`))
  await files.rename(pending, join(folder, part))
  await files.syncDir(join(folder, name))
  await putVerified(target.place, endName(name), endOf(copy, 1))
  if (copy.leftOut.length > 0) await writeProof(files, join(folder, name), partialProof(copy.leftOut, at))
  await removeExpired(options, files)
  return name
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
