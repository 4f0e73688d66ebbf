/** Backups, and the failures of work on them, as the owner reads them. */
import { StoreUnavailable } from '../../../store/files/store-errors.ts'
import type { Logger } from '../../../util/log.ts'
import { iso } from '../../../util/time.ts'
import type { Backup } from './list.ts'
import { backupId } from './own-backups.ts'

/** Returns a backup as `com.core.admin.defs#backup`. */
export function shownBackup(backup: Backup) {
  const { at, bytes, isPartial: partial, proof } = backup
  const { provenAt, problem, missing } = proof ?? {}
  const result = { provenAt: provenAt && iso(provenAt), problem, missingMedia: missing?.count }
  return { id: backupId(backup), at: iso(at), bytes, partial, ...(proof && { proof: result }) }
}

interface Failing {
  readonly log: Logger
  readonly fail: (name: 'BackupFailed', message: string) => Error
}

/** Runs work on backups for its owner. A failure with a remedy is thrown as XrpcError BackupFailed, whose message says it. */
export async function withRemedy<T>({ log, fail }: Failing, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const message = remedyOf(error)
    if (message === undefined) throw error
    log.warn({ err: error }, 'work on backups failed')
    throw fail('BackupFailed', message)
  }
}

function remedyOf(error: unknown): string | undefined {
  if (error instanceof StoreUnavailable) return error.message
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return 'The disk is full. Free disk space, then try again.'
    case 'EROFS':
    case 'EACCES':
    case 'EPERM':
      return 'The folder of the backups cannot be written. Check its permissions and its disk, then try again.'
    case 'ENOTDIR':
    case 'EEXIST':
      return 'A file has the name of a folder of the backups. Move it elsewhere, then try again.'
    default:
      return undefined
  }
}
