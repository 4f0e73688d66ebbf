/** The daily backup, made while the server runs. */
import type { Config } from '../config/config.ts'
import { backupIsDue } from '../store/backup.ts'
import type { Database } from '../store/database.ts'
import type { Logger } from '../util/log.ts'

interface Deps {
  readonly config: Config
  readonly store: Database
  readonly log: Logger
  readonly now: () => Date
}

/** Makes a backup when the newest daily one is a day old. */
export async function backUpWhenDue({ config, store, log, now }: Deps): Promise<void> {
  if (!config.dailyBackups || !(await backupIsDue(config.dataDir, now()))) return
  const { file } = await store.backup('daily')
  log.info({ file }, 'daily backup made')
}
