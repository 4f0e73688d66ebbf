/** The backups of a running server, for its owner and its jobs. */
import { basename } from 'node:path'
import type { Database } from '../../../store/database.ts'
import { whileLocked } from '../../../store/files/backup-lock.ts'
import type { Files } from '../../../store/files/files.ts'
import { StoreUnavailable } from '../../../store/files/store-errors.ts'
import { type JobDeps, runFileJob } from '../file-jobs.ts'
import { makeBackup } from './backups.ts'
import { hiddenBackups, hideBackup, showBackup } from './deleted.ts'
import { type Backup, listBackups } from './list.ts'

interface MakeOptions {
  readonly mayMakeSpace?: boolean
}

export interface OwnBackups {
  /** Newest first. */
  list(): Promise<Backup[]>
  find(id: string): Promise<Backup | undefined>
  isMaking(): boolean
  /** Makes a backup; calls meanwhile get the same one. @throws as `makeBackup` does */
  make(options?: MakeOptions): Promise<Backup>
  /** Deletes a backup. Returns false if there is none. */
  delete(id: string): Promise<boolean>
  /** Undoes a deletion. Returns false if it was too long ago. */
  undelete(id: string): Promise<boolean>
  /** Frees the space of backups that were deleted before the last call, or before the start of the server. */
  eraseDeleted(): Promise<void>
}

interface Deps extends JobDeps {
  readonly dataDir: string
  readonly store: Pick<Database, 'copyTo'>
  readonly files: Files
  readonly now: () => Date
}

export function createOwnBackups(deps: Deps): OwnBackups {
  const { dataDir, files, signal } = deps
  let making: Promise<Backup> | undefined
  /** Deleted since the last call of `eraseDeleted`: these can be brought back still. */
  const fresh = new Set<string>()
  const list = () => listBackups(dataDir, files)
  const find = async (id: string) => (await list()).find((backup) => backupId(backup) === id)

  /** Removes deleted backups for good. Returns whether there were any. */
  async function erase(kept: ReadonlySet<string>): Promise<boolean> {
    const ids = (await hiddenBackups(files, dataDir)).filter((id) => !kept.has(id))
    if (ids.length === 0) return false
    const job = { kind: 'erase', dataDir, ids } as const
    await whileLocked(files, dataDir, () => runFileJob(deps, job), signal)
    return true
  }

  async function makeWithSpace(options: MakeOptions): Promise<Backup> {
    try {
      return await makeBackup({ ...deps, ...options })
    } catch (error) {
      // The owner may have deleted some to make space.
      if (!(error instanceof StoreUnavailable) || !(await erase(new Set()))) throw error
      return makeBackup({ ...deps, ...options })
    }
  }

  return {
    list,
    find,
    isMaking: () => making !== undefined,
    make(options = {}) {
      making ??= makeWithSpace(options).finally(() => {
        making = undefined
      })
      return making
    },
    async delete(id) {
      if (!(await find(id))) return false
      fresh.add(id)
      return hideBackup(files, dataDir, id)
    },
    undelete: (id) => showBackup(files, dataDir, id),
    async eraseDeleted() {
      const kept = new Set(fresh)
      fresh.clear()
      await erase(kept)
    },
  }
}

/** The name of the folder of a backup. */
export function backupId({ name }: Pick<Backup, 'name'>): string {
  return basename(name)
}
