/** Names of backups, and the rule which of them are kept. Each kind has its own limit, so that no kind removes another's. */
import { fileTime, parseFileTime } from '../layout.ts'

/** `upgrade`: made before an upgrade of the data. `incomplete`: without damaged pages of the database. */
export type BackupKind = 'daily' | 'manual' | 'upgrade' | 'incomplete'

export interface NamedBackup {
  readonly kind: BackupKind
  readonly createdAt: Date
}

const limits: Readonly<Record<BackupKind, number>> = { daily: 7, manual: 7, upgrade: 3, incomplete: 3 }
/** Of the daily backups before the newest seven, one per week is kept for this many weeks. */
const weeks = 4
/** As many daily backups stay, however full the disk is. */
const fewest = 2
const weekMs = 7 * 24 * 60 * 60_000

const pattern = /^pds-(daily|manual|upgrade|incomplete)-(\d{8}T\d{9}Z)\.sqlite\.zst$/

export function backupName({ kind, createdAt }: NamedBackup): string {
  return `pds-${kind}-${fileTime(createdAt)}.sqlite.zst`
}

/** Parses the name of a backup; undefined for files that people named, which are neither listed nor removed. */
export function parseBackupName(name: string): NamedBackup | undefined {
  const [, kind, time = ''] = pattern.exec(name) ?? []
  const createdAt = parseFileTime(time)
  return createdAt && { kind: kind as BackupKind, createdAt }
}

/**
 * Returns the backups that are no longer kept. The clock is wrong now, or was wrong when backups from the future were made: these count
 * for themselves, so that neither they expire the others, nor the others them.
 */
export function expiredBackups<T extends NamedBackup>(backups: readonly T[], now: Date): T[] {
  const groups = Map.groupBy(newestFirst(backups), ({ kind, createdAt }) => `${kind} ${createdAt > now}`)
  return [...groups.values()].flatMap((made) => {
    const kind = made[0]?.kind ?? 'daily'
    const beyond = made.slice(limits[kind])
    const weekly = new Set(kind === 'daily' ? firstOfEachWeek(beyond).slice(0, weeks) : [])
    return beyond.filter((backup) => !weekly.has(backup))
  })
}

/** Returns the backups that may make room for the next daily one, oldest first: the daily ones but for the newest two and weekly ones. */
export function removableBackups<T extends NamedBackup>(backups: readonly T[], now: Date): T[] {
  const daily = newestFirst(backups).filter(({ kind, createdAt }) => kind === 'daily' && createdAt <= now)
  return daily.slice(fewest, limits.daily).toReversed()
}

function newestFirst<T extends NamedBackup>(backups: readonly T[]): T[] {
  return backups.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
}

/** Returns the first backup of each week. Not the last, which would change with each backup of the week. @param sorted newest first */
function firstOfEachWeek<T extends NamedBackup>(sorted: readonly T[]): (T | undefined)[] {
  const byWeek = Map.groupBy(sorted, ({ createdAt }) => Math.floor(createdAt.getTime() / weekMs))
  return [...byWeek.values()].map((made) => made.at(-1))
}
