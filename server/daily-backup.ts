/** A backup a day, made while the server runs: it looks whether one is due soon after the start, and every hour. */
import type { Services } from './services.ts'
import { backupIsDue } from './store/backup.ts'

/** Not at once: a backup reads the whole store, when clients wait for their first answers. */
const firstMs = 60_000
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
  const first = setTimeout(run, firstMs).unref()
  const hourly = setInterval(run, everyMs).unref()
  return () => {
    clearTimeout(first)
    clearInterval(hourly)
  }
}
