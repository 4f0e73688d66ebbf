import { expect, test } from 'vitest'
import {
  type BackupKind,
  backupName,
  expiredBackups,
  parseBackupName,
  removableBackups,
} from '../../../../server/platform/store/backups/retention.ts'

const day = (n: number) => new Date(Date.UTC(2026, 0, 1, 3) + n * 24 * 60 * 60_000)
const made = (kind: BackupKind, n: number) => ({ kind, createdAt: day(n) })

/** Makes one backup per day for so many days and removes expired ones each day; returns the days of the remaining ones. */
function keptAfter(days: number): number[] {
  let kept: ReturnType<typeof made>[] = []
  for (let n = 0; n < days; n++) {
    kept.push(made('daily', n))
    const expired = new Set(expiredBackups(kept, day(n)))
    kept = kept.filter((backup) => !expired.has(backup))
  }
  return kept.map(({ createdAt }) => (createdAt.getTime() - day(0).getTime()) / (24 * 60 * 60_000))
}

test('daily backups: the newest seven are kept, and the first of each of the four weeks before them', () => {
  for (let days = 40; days < 60; days++) {
    const kept = keptAfter(days).toReversed()
    expect(kept.slice(0, 7)).toEqual(Array.from({ length: 7 }, (_, i) => days - 1 - i))
    const weekly = kept.slice(7)
    expect(weekly).toHaveLength(4)
    expect(weekly[0]).toBeGreaterThanOrEqual(days - 7 - 7)
    for (const [i, n] of weekly.slice(1).entries()) expect(n).toBe((weekly[i] ?? 0) - 7)
  }
})

test('each kind of backup has a limit of its own', () => {
  const kinds = ['daily', 'manual', 'upgrade'] as const
  const all = kinds.flatMap((kind) => Array.from({ length: 8 }, (_, i) => made(kind, i / 24)))
  const expired = expiredBackups(all, day(1))
  const count = (kind: BackupKind) => expired.filter((backup) => backup.kind === kind).length
  // The eighth daily backup is the first of its week.
  expect(kinds.map(count)).toEqual([0, 1, 5])
  expect(expired).toContainEqual(made('manual', 0))
})

test('backups from the future, made while the clock was wrong, expire no other, in any order of names', () => {
  const future = Array.from({ length: 12 }, (_, i) => made('manual', 1000 + i))
  const present = Array.from({ length: 7 }, (_, i) => made('manual', i))
  for (const backups of [[...future, ...present], [...present, ...future].toReversed()]) {
    const expired = expiredBackups(backups, day(6))
    expect(expired.toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime())).toEqual(
      future.slice(0, 5),
    )
  }
})

test('a clock that is in the past for a while removes no newer backup', () => {
  const real = [...Array.from({ length: 7 }, (_, i) => made('daily', 1000 - i)), made('daily', 985)]
  let kept = [...real]
  for (let n = 0; n < 20; n++) {
    kept = [made('daily', n), ...kept]
    const expired = new Set(expiredBackups(kept, day(n)))
    kept = kept.filter((backup) => !expired.has(backup))
  }
  for (const backup of real) expect(kept).toContainEqual(backup)
})

test('only daily backups make room for another one: neither the newest two nor the weekly ones', () => {
  const daily = [20, 19, 18, 17, 16, 15, 14, 9, 2].map((n) => made('daily', n))
  const others = [made('manual', 1), made('upgrade', 1), made('daily', 30)]
  expect(removableBackups([...daily, ...others], day(21))).toEqual(
    [14, 15, 16, 17, 18].map((n) => made('daily', n)),
  )
})

test('names of backups are parsed back; other names are none', () => {
  for (const kind of ['daily', 'manual', 'upgrade'] as const) {
    expect(parseBackupName(backupName(made(kind, 3)))).toEqual(made(kind, 3))
  }
  expect(backupName(made('manual', 0))).toBe('pds-manual-20260101T030000000Z.sqlite.zst')
  for (const name of [
    'before-the-move.sqlite',
    'pds-20260101T030000000Z.sqlite',
    'pds-other-20260101T030000000Z.sqlite',
    'pds-manual-x.sqlite',
  ]) {
    expect(parseBackupName(name)).toBe(undefined)
  }
})
