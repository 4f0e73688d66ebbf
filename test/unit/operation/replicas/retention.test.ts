import { expect, test } from 'vitest'
import type { Base, Content, Segment, Timeline } from '../../../../server/operation/replicas/catalog.ts'
import { expired, isOver, joinable } from '../../../../server/operation/replicas/replica-retention.ts'
import { thinned } from '../../../../server/operation/replicas/restore-points.ts'
import { type Chain, chainOf } from '../../../../server/operation/replicas/ways/ways.ts'
import { day, hour, minute } from '../../../support/server/clock.ts'

const start = Date.parse('2030-01-01T00:00:00Z')
const week = 7 * day
const weeks = 12

/** A repeatable sequence of numbers from 0 to 1. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

const timeline: Timeline = { name: '000001_aa', generation: 1, parent: undefined }
const base = (seq: number, at: number): Base => ({
  ...{ name: `base-${seq}-${at}`, timeline: timeline.name, seq, at: new Date(at), parts: ['1'] },
  bytes: 0,
  isPartial: false,
})
const segment = (from: number, to: number, at: number, bytes = 1000): Segment => ({
  ...{ name: `segment-${from}-${to}-${at}`, timeline: timeline.name, from, to, at: new Date(at), bytes },
})
const content = (bases: readonly Base[], segments: readonly Segment[]): Content => ({
  ...{ timelines: [timeline], bases, segments: sorted(segments), unfinished: [], cut: [] },
})
const sorted = (segments: readonly Segment[]) => segments.toSorted((a, b) => a.from - b.from || a.to - b.to)

/** A place as a clean-up changes it. */
class SimulatedPlace {
  bases: Base[] = []
  segments: Segment[] = []

  get content(): Content {
    return content(this.bases, this.segments)
  }

  /** @param listed the share of the objects that a listing shows */
  compact(now: number, listed = () => true): void {
    const list = () => content(this.bases.filter(listed), this.segments.filter(listed))
    for (const group of joinable(list(), new Date(now))) {
      const [first, last] = [group[0] as Segment, group.at(-1) as Segment]
      const bytes = group.reduce((sum, each) => sum + each.bytes, 0)
      this.segments.push(segment(first.from, last.to, last.at.getTime(), bytes))
    }
    const removed = expired(list(), new Date(now), weeks)
    const surplus = new Set<unknown>([...removed.bases, ...removed.segments])
    this.bases = this.bases.filter((each) => !surplus.has(each))
    this.segments = this.segments.filter((each) => !surplus.has(each))
  }

  /** How long before `at` the newest state is that can be restored for that moment. */
  lag(at: number): number {
    const chain = chainOf(this.content, timeline, { until: new Date(at) }) as Chain
    return chain ? at - chain.at.getTime() : Number.POSITIVE_INFINITY
  }
}

/** Writes every twenty seconds of each eighth hour, with a base a week, and cleans up hourly, as the server does. */
function simulate(
  days: number,
  { listed, basePeriod = week }: { listed?: () => boolean; basePeriod?: number },
) {
  const place = new SimulatedPlace()
  let seq = 1
  let baseAt = 0
  for (let now = start; now < start + days * day; now += hour) {
    if (now - baseAt >= basePeriod) {
      place.bases.push(base(seq, now))
      baseAt = now
    }
    if ((now / hour) % 8 === 0) {
      for (let at = now + 20_000; at <= now + hour; at += 20_000) {
        seq += 2
        place.segments.push(segment(seq - 1, seq, at))
      }
    }
    place.compact(now + hour, listed)
  }
  return { place, end: start + days * day, seq }
}

test('a year: minutes of a day, days of a month and weeks can be restored, and no more is kept', () => {
  const { place, end, seq } = simulate(365, {})
  expect(chainOf(place.content, timeline)?.seq).toBe(seq)
  // The last hour with changes ended seven hours ago.
  expect(place.lag(end)).toBe(7 * hour)
  for (let at = end - day; at < end; at += 7 * minute)
    expect(place.lag(at)).toBeLessThanOrEqual(7 * hour + 2 * minute)
  const busy = end - 8 * hour + 30 * minute
  expect(place.lag(busy)).toBeLessThanOrEqual(minute)
  for (let at = end - 29 * day; at < end; at += 7 * hour) expect(place.lag(at)).toBeLessThanOrEqual(day)
  for (let at = end - (weeks - 1) * week; at < end; at += 2 * day)
    expect(place.lag(at)).toBeLessThanOrEqual(week)
  expect(place.bases.length).toBeLessThanOrEqual(weeks + 2)
  expect(place.segments.length).toBeLessThanOrEqual(3 * 60 + 3 * 60 + 40)
})

test('bases that follow each other within a week are reduced to the first, while the segments lead on', () => {
  const { place, end } = simulate(100, { basePeriod: 6 * hour })
  expect(place.bases.length).toBeLessThanOrEqual(weeks + 3)
  for (let at = end - 29 * day; at < end; at += 7 * hour) expect(place.lag(at)).toBeLessThanOrEqual(day)
})

test('listings that lack a third of the objects lose nothing', () => {
  const next = random(1)
  const { place, end, seq } = simulate(120, { listed: () => next() > 1 / 3 })
  expect(chainOf(place.content, timeline)?.seq).toBe(seq)
  expect(place.lag(end)).toBe(7 * hour)
  for (let at = end - 29 * day; at < end; at += 7 * hour) expect(place.lag(at)).toBeLessThanOrEqual(day)
  for (let at = end - (weeks - 1) * week; at < end; at += 2 * day)
    expect(place.lag(at)).toBeLessThanOrEqual(week)
})

test('a base after a gap in the segments is kept, because no other leads to its moment', () => {
  const now = start + 3 * day
  const bases = [base(10, start), base(50, start + hour), base(90, start + 2 * hour)]
  const segments = [segment(11, 40, start + minute), segment(51, 89, start + 90 * minute)]
  expect(expired(content(bases, segments), new Date(now), weeks)).toEqual({ bases: [], segments: [] })
})

test('segments of the last hour are not joined, nor those of a minute or day that is not over', () => {
  const now = new Date(start + 2 * day)
  const recent = [10, 20, 30].map((s, at) => segment(at + 1, at + 1, now.getTime() - hour + s * 1000))
  expect(joinable({ segments: recent }, now)).toEqual([])
  const older = [10, 20, 70].map((s, at) => segment(at + 1, at + 1, now.getTime() - 3 * hour + s * 1000))
  expect(joinable({ segments: older }, now)).toEqual([older.slice(0, 2)])
})

test('segments with a gap between them, or too much content, are not joined', () => {
  const at = start
  const now = new Date(start + 5 * day)
  expect(joinable({ segments: [segment(1, 2, at), segment(4, 5, at)] }, now)).toEqual([])
  expect(joinable({ segments: [segment(1, 2, at, 900_000), segment(3, 4, at, 900_000)] }, now)).toEqual([])
})

test('a branch is over when its last restore point is older than the weekly bases', () => {
  const old = content([base(1, start)], [segment(2, 3, start + day)])
  expect(isOver(old, new Date(start + weeks * week), weeks)).toBe(false)
  expect(isOver(old, new Date(start + day + weeks * week), weeks)).toBe(true)
  expect(isOver(content([], []), new Date(start + 100 * week), weeks)).toBe(false)
})

test('moments to choose: hours of a day, days of a month, weeks', () => {
  const end = start + 100 * day
  const times = Array.from({ length: 100 * 24 * 4 }, (_, at) => end - at * 15 * minute)
  const shown = thinned(times)
  expect(shown[0]).toBe(end)
  expect(shown.filter((time) => end - time < day)).toHaveLength(25)
  expect(shown.filter((time) => end - time >= day && end - time < 30 * day)).toHaveLength(30)
  expect(shown.filter((time) => end - time >= 30 * day).length).toBeLessThanOrEqual(12)
})
