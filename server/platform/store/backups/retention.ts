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
 * Returns the backups that are no longer kept. Backups from the future were made while the clock was wrong, and count as the oldest:
 * otherwise they would expire every new one.
 */
export function expiredBackups<T extends NamedBackup>(backups: readonly T[], now: Date): T[] {
  const age = ({ createdAt }: T) => (createdAt > now ? Number.POSITIVE_INFINITY : -createdAt.getTime())
  const newestFirst = backups.toSorted((a, b) => (age(a) === age(b) ? 0 : age(a) - age(b)))
  const byKind = Map.groupBy(newestFirst, ({ kind }) => kind)
  return [...byKind].flatMap(([kind, made]) => {
    const beyond = made.slice(limits[kind])
    const weekly = new Set(kind === 'daily' ? firstOfEachWeek(beyond).slice(0, weeks) : [])
    return beyond.filter((backup) => !weekly.has(backup))
  })
}

/** Returns the first backup of each week. Not the last, which would change with each backup of the week. */
function firstOfEachWeek<T extends NamedBackup>(newestFirst: readonly T[]): (T | undefined)[] {
  const byWeek = Map.groupBy(newestFirst, ({ createdAt }) => Math.floor(createdAt.getTime() / weekMs))
  return [...byWeek.values()].map((made) => made.at(-1))
}
