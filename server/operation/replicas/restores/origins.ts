/** The sources of a restore: the backups of this computer, or a file. `place-origin.ts` has places. */
import { join } from 'node:path'
import { schema } from '../../../schema/schema.ts'
import type { BackupContent } from '../../../store/backups/backup-content.ts'
import { keptBlobs } from '../../../store/backups/restore.ts'
import { runInWorker } from '../../../store/backups/tasks.ts'
import { blobsName } from '../../../store/files/layout.ts'
import { systemTime as now } from '../../../util/timers.ts'
import { bringBack } from '../bring-back.ts'
import type { CredentialsKeeper } from '../credentials.ts'
import { type Backup, listBackups } from '../local/list.ts'
import { backupFolder, localTarget } from '../local/target.ts'
import { type Progress, readEnd } from '../receive.ts'

export interface OriginDeps {
  readonly dataDir: string
  /** Keeps the keys of the copies. */
  readonly keeper: CredentialsKeeper
  /** URLs of the places of this server, however they were set. */
  readonly places: () => readonly string[]
  /** Makes the server copy to a place from its next start on. */
  readonly addPlace: (url: string) => Promise<void>
  /** Runs work while the server is stopped, and starts it again. */
  readonly whileStopped: (work: () => Promise<Restored>) => Promise<Restored>
  readonly onProgress: (progress: Progress) => void
}

/** The content that a restore would bring back, read from the data itself. */
export interface RestorePreview extends Omit<BackupContent, 'createdAt'> {
  /** The time of the state, in ISO 8601. */
  readonly createdAt: string
  /** The loss: changes and media that cannot be restored, in sentences. */
  readonly loss?: string | undefined
}

export interface Restored {
  readonly at: string
  /** Number of media files that were lost. */
  readonly missingMedia: number
  /** The folder with the data that were replaced, empty if there were none. */
  readonly replaced: string
}

/** Its methods throw errors with sentences for people. */
export interface Origin {
  preview(at: string | undefined, signal: AbortSignal): Promise<RestorePreview>
  /** @param loss as it was previewed */
  restore(at: string | undefined, loss: string | undefined): Promise<Restored>
}

export function ofBackups({ dataDir, whileStopped }: Pick<OriginDeps, 'dataDir' | 'whileStopped'>): Origin {
  return {
    async preview(at = '') {
      const backup = await findBackup(dataDir, at)
      const content = await describe(dataDir, backup)
      return { ...content, createdAt: at, loss: backup.isPartial ? backup.proof?.problem : undefined }
    },
    async restore(at = '') {
      const backup = await findBackup(dataDir, at)
      // Checked before the server is stopped.
      await describe(dataDir, backup)
      return whileStopped(async () => {
        const result = await bringBack({ target: localTarget(dataDir), dataDir, base: backup.name, now })
        return { at, missingMedia: result.missing.length, replaced: result.replaced ?? '' }
      })
    },
  }
}

/** Checks a backup, and counts its content. In a worker: SQLite's integrity check takes seconds, while this thread serves requests. */
async function describe(dir: string, { name, parts: [part = ''] }: Backup): Promise<BackupContent> {
  const { sha256 } = await readEnd(localTarget(dir), name)
  const blobFolders = [join(backupFolder(dir), blobsName)]
  const file = join(backupFolder(dir), part)
  return runInWorker({ kind: 'describe', dir, file, options: { schema, sha256, blobFolders } })
}

async function findBackup(dataDir: string, time: string): Promise<Backup> {
  const backup = (await listBackups(dataDir)).find(({ at }) => at.toISOString() === time)
  if (!backup) throw new Error('This backup no longer exists.')
  return backup
}

export function ofFile(
  { dataDir: dir, whileStopped }: Pick<OriginDeps, 'dataDir' | 'whileStopped'>,
  file: string,
  passphrase?: string,
): Origin {
  const options = { passphrase, schema, blobFolders: keptBlobs(dir) }
  const preview = async () => {
    const { createdAt, ...content } = await runInWorker({ kind: 'describe', dir, file, options })
    return { ...content, createdAt: createdAt.toISOString() }
  }
  return {
    preview,
    async restore() {
      // Checked before the server is stopped.
      const { createdAt: at, missingBlobs: missingMedia } = await preview()
      return whileStopped(async () => {
        const replaced = await runInWorker({ kind: 'restore', dir, file, passphrase, schema, at: now() })
        return { at, missingMedia, replaced: replaced ?? '' }
      })
    },
  }
}
