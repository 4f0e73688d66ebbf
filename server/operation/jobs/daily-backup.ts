/** The daily backup, made while the server runs, and the checks of backups. */

import type { Platform } from '../../platform/platform.ts'
import { backupIsDue } from '../replicas/local/list.ts'
import type { OwnBackups } from '../replicas/local/own-backups.ts'
import type { BackupProofs } from '../replicas/local/proofs.ts'

interface Deps extends Pick<Platform, 'config' | 'files' | 'log' | 'now' | 'signal'> {
  readonly operation: { readonly backups: Pick<OwnBackups, 'make'> }
}

/** Makes a backup when the newest one is a day old. */
export async function backUpWhenDue({ config, files, log, now, signal, operation }: Deps): Promise<void> {
  const { dataDir, dailyBackups } = config
  if (!dailyBackups || !(await backupIsDue(dataDir, now(), files))) return
  const made = await operation.backups.make({ mayMakeSpace: true }).catch((error: unknown) => {
    // The server stops: the next start makes it.
    if (!signal.aborted) throw error
  })
  if (!made) return
  const { name, proof } = made
  if (proof) log.error({ backup: name, problem: proof.problem }, 'daily backup is incomplete')
  else log.info({ backup: name }, 'daily backup made')
}

/** Checks that the backups can be restored, each once and the newest every week. */
export async function checkBackups(
  proofs: Pick<BackupProofs, 'proveDue'>,
  { log, signal }: Pick<Platform, 'log' | 'signal'>,
): Promise<void> {
  const damaged = await proofs.proveDue().catch((error: unknown) => {
    // The server stops: the next run checks them.
    if (!signal.aborted) throw error
    return []
  })
  for (const { name, problem } of damaged) {
    log.error({ backup: name, problem }, 'backup cannot be restored')
  }
}
