/** The moments to which a copy can be restored. */
import { type Content, listTimelines, readTimeline } from './catalog.ts'
import type { Place } from './places/place.ts'
import { dayMs, hourMs } from './retention.ts'

const weekMs = 7 * dayMs

/** Returns moments for the person who restores, the newest first: the last one, then one per hour of a day, day of a month, week. */
export async function restorePoints(place: Place): Promise<Date[]> {
  const all: number[] = []
  // A timeline ends for good when the next one has begun.
  let end = Number.POSITIVE_INFINITY
  for (const timeline of await listTimelines(place)) {
    const times = reachable(await readTimeline(place, timeline)).filter((time) => time < end)
    all.push(...times)
    end = Math.min(end, ...times)
  }
  return thinned(all).map((time) => new Date(time))
}

/** Returns the times of the bases and of the segments that continue one. */
function reachable({ bases, segments }: Content): number[] {
  const times = new Set<number>()
  for (const base of bases) {
    times.add(base.at.getTime())
    let last = base.seq
    for (const { from, to, at } of segments) {
      if (from > last + 1 || to <= last) continue
      times.add(at.getTime())
      last = to
    }
  }
  return [...times]
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
