/**
 * The lock of the folder of backups. Only one process at a time makes a backup, because a backup removes the blobs that no other contains.
 * And a server waits with its checkpoint for a backup of another process, which would have to read the changed data again.
 */
import { join } from 'node:path'
import { pause, realElapsed } from '../../util/deadlines.ts'
import type { Files } from './files.ts'
import { backupsName } from './layout.ts'
import type { Lock } from './lock.ts'
import { StoreLocked } from './store-errors.ts'

/** A backup or a checkpoint waits so long for another backup of the same data. */
const waitMs = 10 * 60_000
const pauseMs = 100

/**
 * Calls `work` while no other process makes a backup of a data directory.
 * @param signal ends the wait
 * @throws StoreLocked after ten minutes
 */
export async function whileLocked<T>(
  files: Files,
  dir: string,
  work: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const folder = join(dir, backupsName)
  await files.makeDir(folder)
  const lock = await lockFolder(files, folder, () => signal?.aborted ?? false)
  try {
    return await work()
  } finally {
    await lock.release()
  }
}

/**
 * Takes the lock, for up to ten minutes. Returns undefined without a folder of backups, and on a disk that is full or read-only.
 * @param isUrgent ends the wait early
 */
export async function tryLock(
  files: Files,
  dir: string,
  isUrgent?: () => boolean,
): Promise<Lock | undefined> {
  return lockFolder(files, join(dir, backupsName), isUrgent).catch(() => undefined)
}

async function lockFolder(files: Files, folder: string, isUrgent = () => false): Promise<Lock> {
  const deadline = realElapsed() + waitMs
  for (;;) {
    try {
      return await files.lock(folder)
    } catch (error) {
      if (!(error instanceof StoreLocked) || realElapsed() > deadline || isUrgent()) throw error
      await pause(pauseMs)
    }
  }
}
