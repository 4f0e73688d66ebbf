/** Which backups of a data directory are kept: the newest ones, one per day of the last week, one per week of the last month. */
import { dayMs, weekMs } from '../replica-retention.ts'

interface Dated {
  readonly at: Date
  readonly isPartial: boolean
  readonly proof?: { readonly problem: string | undefined } | undefined
}

const newest = 7
const days = 7
const weeks = 4
/** Backups that stay, however full the disk is. */
const fewest = 2
/** Backups without the damaged pages that stay. */
const newestPartial = 3

/**
 * Returns the backups that are no longer kept. The clock is wrong now, or was wrong when backups from the future were made: these count for
 * themselves, so that the two groups do not expire each other. So do partial ones.
 */
export function expiredBackups<T extends Dated>(backups: readonly T[], now: Date): T[] {
  const groups = Map.groupBy(newestFirst(backups), ({ at, isPartial }) => `${isPartial} ${at > now}`)
  return [...groups.values()].flatMap((made) => {
    if (made[0]?.isPartial) return made.slice(newestPartial)
    const beyond = made.slice(newest)
    const dated = [...firstOfEach(made, dayMs, days), ...firstOfEach(beyond, weekMs, weeks)]
    const kept = new Set([...dated, newestProven(made)])
    return beyond.filter((backup) => !kept.has(backup))
  })
}

/** Returns the backups that may be deleted for the next one, oldest first: those of the last days, except the newest two and weekly ones. */
export function removableBackups<T extends Dated>(backups: readonly T[], now: Date): T[] {
  const past = newestFirst(backups).filter(({ at, isPartial }) => at <= now && !isPartial)
  const kept = new Set([...firstOfEach(past, weekMs, weeks), newestProven(past)])
  return past
    .slice(fewest)
    .filter((backup) => !kept.has(backup))
    .toReversed()
}

/** Newer ones may not be restorable. @param sorted newest first */
function newestProven<T extends Dated>(sorted: readonly T[]): T | undefined {
  return sorted.find(({ proof }) => proof !== undefined && proof.problem === undefined)
}

function newestFirst<T extends Dated>(backups: readonly T[]): T[] {
  return backups.toSorted((a, b) => b.at.getTime() - a.at.getTime())
}

/** Returns the first backup of each of the last periods. Not the last, which would change with each backup. @param sorted newest first */
function firstOfEach<T extends Dated>(sorted: readonly T[], ms: number, count: number): (T | undefined)[] {
  const byPeriod = Map.groupBy(sorted, ({ at }) => Math.floor(at.getTime() / ms))
  return [...byPeriod.values()].slice(0, count).map((made) => made.at(-1))
}
