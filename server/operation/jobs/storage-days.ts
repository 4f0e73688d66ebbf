/** The daily measurement of the storage that the server and its accounts use, so that its owner sees how it grows. */
import type { Platform } from '../../platform/platform.ts'
import { bytesOf, totalBytes } from '../../repository/tables/blobs.ts'
import { bytesOfRecords } from '../../repository/tables/usage.ts'
import { pageBytes } from '../../store/pages/page.ts'
import { allDids } from '../../store/tables/accounts.ts'
import { dayMs, dayOf } from '../../util/time.ts'
import { yieldToEventLoop } from '../../util/timers.ts'
import type { OwnBackups } from '../replicas/local/own-backups.ts'
import * as storageDays from '../tables/storage-days.ts'

interface Deps extends Pick<Platform, 'store' | 'clock' | 'now'> {
  readonly operation: { readonly backups: Pick<OwnBackups, 'list'> }
}

/** With today. */
const keptDays = 90

/** Returns the first and the last date of the days that are shown. */
export function lastDays(now: Date): [since: string, until: string] {
  return [dayOf(new Date(now.getTime() - (keptDays - 1) * dayMs)), dayOf(now)]
}

/** Measures the storage that the server uses now. */
export async function measureStorage({ store, now, operation }: Deps): Promise<storageDays.StorageDay> {
  const backups = await operation.backups.list()
  const free = await store.freeSpace.refresh().catch(() => null)
  return {
    day: dayOf(now()),
    database: store.pageCount * pageBytes,
    media: totalBytes(store),
    backups: backups.reduce((sum, { bytes }) => sum + bytes, 0),
    free,
  }
}

/** Measures once a day, and deletes old days. Pauses while the clock is implausible: the day would be wrong. */
export async function measureDaily(deps: Deps): Promise<void> {
  const { store, clock, now } = deps
  const [oldest, today] = lastDays(now())
  if (!clock.isPlausible() || !store.writable || storageDays.ofServer(store, today, today).length > 0) return
  const measured = await measureStorage(deps)
  const ofAccounts = new Map<string, storageDays.AccountStorageDay>()
  for (const did of allDids(store)) {
    ofAccounts.set(did, { day: today, records: bytesOfRecords(store, did), media: bytesOf(store, did) })
    await yieldToEventLoop()
  }
  await store.transact((tx) => {
    storageDays.add(tx, { ...measured, day: today })
    for (const [did, day] of ofAccounts) storageDays.addOfAccount(tx, did, day)
    storageDays.removeBefore(tx, oldest)
  })
}
