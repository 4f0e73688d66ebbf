/** The restore points of a place. */
import { type Content, type Listed, readContent } from './catalog.ts'
import { dayMs, hourMs, weekMs } from './replica-retention.ts'
import { timesOf } from './ways/times.ts'
import { lastTimes, waysTo } from './ways/ways.ts'

export interface RestorePoints {
  /** Times, the newest first: the last one, one per hour of a day, one per day of a month, one per week, and all `endsOf`. */
  readonly points: readonly Date[]
  /** Time of the state that is restored by default; undefined if the place has none. */
  readonly newest: Date | undefined
  /** Times of the last states of other timelines that no timeline continues, the newest first. */
  readonly ends: readonly Date[]
}

/** Returns the times that a person can choose for a restore. */
export async function readPoints(target: Listed): Promise<RestorePoints> {
  const content = await readContent(target)
  const ends = endsOf(content)
  const points = thinned([...timesOf(content)], ends).map((time) => new Date(time))
  const newest: Date | undefined = waysTo(content).next().value?.at
  if (newest) ends.delete(newest.getTime())
  return { points, newest, ends: [...ends].sort((a, b) => b - a).map((time) => new Date(time)) }
}

/** Returns the times of the last states of timelines that no other one continues, as before a restore. */
export function endsOf(content: Content): Set<number> {
  const continued = new Map<string, number>()
  // Timelines that continue a child share no later part of the timeline.
  for (const { name, parent } of content.timelines) {
    if (parent && parent.name !== name)
      continued.set(parent.name, Math.max(parent.seq, continued.get(parent.name) ?? 0))
  }
  const ends = lastTimes(content, ({ name }, seq) => seq > (continued.get(name) ?? -1))
  return new Set(ends.map((at) => at.getTime()))
}

/** Keeps the last of each hour, day or week, by how long ago it is, and all of `kept`. */
export function thinned(times: readonly number[], kept: ReadonlySet<number> = new Set()): number[] {
  const newest = times.reduce((last, time) => Math.max(last, time), 0)
  const periods = new Set<string>()
  return times
    .toSorted((a, b) => b - a)
    .filter((time) => {
      const age = newest - time
      const ms = age < dayMs ? hourMs : age < 30 * dayMs ? dayMs : weekMs
      const period = `${ms} ${Math.floor(time / ms)}`
      if (periods.has(period)) return kept.has(time)
      periods.add(period)
      return true
    })
}
