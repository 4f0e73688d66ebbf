/** The restore points of a place. */
import { type Listed, readContent, timesOf } from './catalog.ts'
import { dayMs, hourMs } from './retention.ts'

const weekMs = 7 * dayMs

/** Returns times for the person who restores, the newest first: the last one, then one per hour of a day, day of a month, week. */
export async function restorePoints(target: Listed): Promise<Date[]> {
  return thinned([...timesOf(await readContent(target))]).map((time) => new Date(time))
}

/** Keeps the last of each hour, day or week, by how long ago it is. */
export function thinned(times: readonly number[]): number[] {
  const newest = Math.max(...times)
  const periods = new Set<string>()
  return times
    .toSorted((a, b) => b - a)
    .filter((time) => {
      const age = newest - time
      const ms = age < dayMs ? hourMs : age < 30 * dayMs ? dayMs : weekMs
      const period = `${ms} ${Math.floor(time / ms)}`
      if (periods.has(period)) return false
      periods.add(period)
      return true
    })
}
