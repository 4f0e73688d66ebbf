import { expect, test } from 'vitest'
import {
  expiredBackups,
  removableBackups,
} from '../../../../../server/operation/replicas/local/local-retention.ts'

const dayMs = 24 * 60 * 60_000
const day = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * dayMs)
const made = (n: number, isPartial = false) => ({ at: day(n), isPartial })
const days = (from: number, count: number, isPartial = false) =>
  Array.from({ length: count }, (_, i) => made(from + i, isPartial))

/** Makes backups for so many days, and removes expired ones after each; returns the days of the remaining ones, newest first. */
function keptAfter(count: number, perDay = 1): number[] {
  let kept: ReturnType<typeof made>[] = []
  for (let n = 0; n < count * perDay; n++) {
    const one = made(n / perDay)
    kept.push(one)
    const expired = new Set(expiredBackups(kept, one.at))
    kept = kept.filter((backup) => !expired.has(backup))
  }
  return kept.map(({ at }) => (at.getTime() - day(0).getTime()) / dayMs).toReversed()
}

test('backups: the newest seven are kept, and the first of each of the four weeks before them', () => {
  for (let count = 40; count < 60; count++) {
    const kept = keptAfter(count)
    expect(kept.slice(0, 7)).toEqual(Array.from({ length: 7 }, (_, i) => count - 1 - i))
    const weekly = kept.slice(7)
    expect(weekly).toHaveLength(4)
    expect(weekly[0]).toBeGreaterThanOrEqual(count - 7 - 7)
    for (const [i, n] of weekly.slice(1).entries()) expect(n).toBe((weekly[i] ?? 0) - 7)
  }
})

test('backups: of many in a day, the first of each of the last seven days is kept', () => {
  for (let count = 40; count < 47; count++) {
    const kept = keptAfter(count, 12)
    expect(kept.slice(0, 7)).toEqual(Array.from({ length: 7 }, (_, i) => count - (i + 1) / 12))
    expect(kept.slice(7, 14)).toEqual(Array.from({ length: 7 }, (_, i) => count - 1 - i))
    expect(kept.slice(14).length).toBeLessThanOrEqual(4)
    expect(kept.at(-1)).toBeLessThan(count - 21)
  }
})

test('backups: three partial ones are kept, and count for themselves', () => {
  const [complete, partial] = [days(0, 7), days(7, 5, true)]
  const expired = expiredBackups([...complete, ...partial], day(12))
  expect(expired.toSorted((a, b) => a.at.getTime() - b.at.getTime())).toEqual(partial.slice(0, 2))
})

test('backups from the future, made while the clock was wrong, expire no other, in any order of names', () => {
  const hourly = (from: number, count: number) => Array.from({ length: count }, (_, i) => made(from + i / 24))
  const [future, present] = [hourly(1000, 12), hourly(0, 7)]
  for (const backups of [[...future, ...present], [...present, ...future].toReversed()]) {
    const expired = expiredBackups(backups, day(6))
    // The first one is that of its day.
    expect(expired.toSorted((a, b) => a.at.getTime() - b.at.getTime())).toEqual(future.slice(1, 5))
  }
})

test('a clock that is in the past for a while removes no newer backup', () => {
  const real = [...Array.from({ length: 7 }, (_, i) => made(1000 - i)), made(985)]
  let kept = [...real]
  for (let n = 0; n < 20; n++) {
    kept = [made(n), ...kept]
    const expired = new Set(expiredBackups(kept, day(n)))
    kept = kept.filter((backup) => !expired.has(backup))
  }
  for (const backup of real) expect(kept).toContainEqual(backup)
})

test('for space, neither the newest two backups are removed nor weekly, partial or future ones', () => {
  const past = [20, 19, 18, 17, 16, 15, 14, 9, 2].map((n) => made(n))
  const others = [made(13, true), made(30)]
  // Weeks begin on Thursdays, as 1970-01-01 was one: day 0 is a Thursday, too.
  expect(removableBackups([...past, ...others], day(21))).toEqual([15, 16, 17, 18].map((n) => made(n)))
})

test('the newest backup that was proven restorable stays, however many others are newer', () => {
  const proven = { ...made(0), proof: { problem: undefined } }
  const broken = days(1, 90).map((backup) => ({ ...backup, proof: { problem: 'damaged' } }))
  const backups = [{ ...made(-1), proof: { problem: undefined } }, proven, ...broken, made(91)]
  expect(expiredBackups(backups, day(91))).not.toContain(proven)
  expect(expiredBackups(backups, day(91))).toContain(backups[0])
  expect(removableBackups(backups, day(91))).not.toContain(proven)
})
