/** The daily backup, made while the server runs, and the checks of backups. */

import type { Platform } from '../../platform/platform.ts'
import { backupIsDue } from '../../platform/store/backups/backup.ts'
import type { Logger } from '../../platform/util/log.ts'
import type { BackupProofs } from '../backups/proofs.ts'

type Deps = Pick<Platform, 'config' | 'store' | 'log' | 'now' | 'signal'>

/** Makes a backup when the newest daily one is a day old. */
export async function backUpWhenDue({ config, store, log, now, signal }: Deps): Promise<void> {
  if (!config.dailyBackups || !(await backupIsDue(config.dataDir, now()))) return
  const made = await store.backup('daily').catch((error: unknown) => {
    // The server stops: the next start makes it.
    if (!signal.aborted) throw error
  })
  if (!made) return
  const { file, proof } = made
  if (proof) log.error({ file, problem: proof.problem }, 'daily backup is incomplete')
  else log.info({ file }, 'daily backup made')
}

/** Checks that the backups can be restored, each once and the newest every week. */
export async function checkBackups(proofs: BackupProofs, log: Logger): Promise<void> {
  for (const { file, problem } of await proofs.proveDue()) {
    log.error({ file, problem }, 'backup cannot be restored')
  }
}
