/** Deletes the files that a restore replaced, once they were kept for long enough. */

import type { TrustedClock } from '../../platform/clock/trusted-clock.ts'
import type { Platform } from '../../platform/platform.ts'
import { deleteReplaced, listReplaced } from '../../store/backups/replaced.ts'

interface Deps extends Pick<Platform, 'config' | 'log' | 'now'> {
  readonly clock: Pick<TrustedClock, 'isPlausible'>
}

/** Deletes each folder on its own, so that an error leaves the others to go on. Pauses while the clock is implausible. */
export async function deleteReplacedData({ config, log, now, clock }: Deps): Promise<void> {
  if (!clock.isPlausible()) return
  for (const { name, keptUntil, bytes } of await listReplaced(config.dataDir)) {
    if (now() < keptUntil) continue
    try {
      await deleteReplaced(config.dataDir, name)
      log.info({ folder: name, bytes }, 'replaced data deleted')
    } catch (error) {
      log.error({ err: error, folder: name }, 'replaced data could not be deleted')
    }
  }
}
