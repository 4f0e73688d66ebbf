/** A backup a day, made while the server runs: at the start when one is due, and looked at every hour. */
import type { Services } from './services.ts'
import { backupIsDue } from './store/backup.ts'

const everyMs = 60 * 60_000

/** @returns a function that stops it */
export function startDailyBackup({
  config,
  store,
  background,
  log,
  now,
}: Pick<Services, 'config' | 'store' | 'background' | 'log' | 'now'>): () => void {
  const run = () =>
    background.run('daily backup', async () => {
      if (!(await backupIsDue(config.dataDir, now()))) return
      const { file } = await store.backup()
      log.info({ file }, 'made the daily backup')
    })
  run()
  const timer = setInterval(run, everyMs).unref()
  return () => clearInterval(timer)
}
