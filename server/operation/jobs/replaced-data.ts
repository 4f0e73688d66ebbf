/** Deletes the files that a restore replaced, and those that it has fetched, once they were kept for long enough. */

import type { TrustedClock } from '../../platform/clock/trusted-clock.ts'
import type { Platform } from '../../platform/platform.ts'
import { deleteReplaced, listReplaced } from '../../store/backups/replaced.ts'
import { fetchedFolder } from '../replicas/bring-back.ts'

interface Deps extends Pick<Platform, 'config' | 'files' | 'log' | 'now'> {
  readonly clock: Pick<TrustedClock, 'isPlausible'>
}

/** Deletes each folder on its own, so that an error leaves the others to go on. Pauses while the clock is implausible. */
export async function deleteReplacedData({ config, files, log, now, clock }: Deps): Promise<void> {
  if (!clock.isPlausible()) return
  for (const { name, keptUntil, bytes } of await listReplaced(config.dataDir, files)) {
    if (now() < keptUntil) continue
    try {
      await deleteReplaced(config.dataDir, name, files)
      log.info({ folder: name, bytes }, 'replaced data deleted')
    } catch (error) {
      log.error({ err: error, folder: name }, 'replaced data could not be deleted')
    }
  }
}

/** A restore that was interrupted longer ago is not repeated, or finds a newer base at its place. */
const fetchedMs = 7 * 24 * 60 * 60_000

/** Deletes what an interrupted restore from a place has fetched. Pauses while the clock is implausible. */
export async function deleteFetchedData({ config, files, log, now, clock }: Deps): Promise<void> {
  const folder = fetchedFolder(config.dataDir)
  const content = await files.measureDir(folder)
  if (!content || !clock.isPlausible()) return
  const { bytes, changedAt = await files.changedAt(folder) } = content
  if (now().getTime() - changedAt.getTime() < fetchedMs) return
  await files.removeDir(folder)
  log.info({ folder, bytes }, 'files of an interrupted restore deleted')
}
