/** A backup a day, made while the server runs: it looks whether one is due soon after the start, and every hour. */
import type { Config } from '../config/config.ts'
import { backupIsDue } from '../store/backup.ts'
import type { Database } from '../store/database.ts'
import type { Logger } from '../util/log.ts'
import type { Background } from './background.ts'

interface Deps {
  readonly config: Config
  readonly store: Database
  readonly background: Background
  readonly log: Logger
  readonly now: () => Date
}

/** Not at once: a backup reads the whole store, when clients wait for their first answers. */
const firstMs = 60_000
const everyMs = 60 * 60_000

/** @returns a function that stops it */
export function startDailyBackup({ config, store, background, log, now }: Deps): () => void {
  const run = () =>
    background.run('daily backup', async () => {
      if (!(await backupIsDue(config.dataDir, now()))) return
      const { file } = await store.backup('daily')
      log.info({ file }, 'made the daily backup')
    })
  const first = setTimeout(run, firstMs).unref()
  const hourly = setInterval(run, everyMs).unref()
  return () => {
    clearTimeout(first)
    clearInterval(hourly)
  }
}
