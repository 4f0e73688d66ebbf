/** The work of reading what a place has grows with the number of its objects, not with its square. */

import { expect, test } from 'vitest'
import type { Base, Content, Segment, Timeline } from '../../../../../server/operation/replicas/catalog.ts'
import { compact } from '../../../../../server/operation/replicas/compact.ts'
import { lossOf } from '../../../../../server/operation/replicas/loss.ts'
import type { Replicator } from '../../../../../server/operation/replicas/replicator.ts'
import { endsOf } from '../../../../../server/operation/replicas/restore-points.ts'
import type { Target } from '../../../../../server/operation/replicas/send.ts'
import { beginTimeline } from '../../../../../server/operation/replicas/timeline.ts'
import type { Link } from '../../../../../server/operation/replicas/ways/reach.ts'
import { createReach } from '../../../../../server/operation/replicas/ways/reach.ts'
import { timesOf } from '../../../../../server/operation/replicas/ways/times.ts'
import { waysTo } from '../../../../../server/operation/replicas/ways/ways.ts'
import { MemoryPlace } from '../../../../support/replicas/memory-place.ts'
import { FaultyDisk } from '../../../../support/store/faulty-disk.ts'

const start = Date.parse('2030-01-01T00:00:00Z')
const segments = 5000
const bases = 500
const timelines = 20

let reads = 0

class CountedDate extends Date {
  override getTime(): number {
    reads++
    return super.getTime()
  }
}

/** Counts how often the value of a property is read. */
function counted<T extends object>(object: T, key: keyof T): T {
  const value = object[key]
  const get = () => {
    reads++
    return value
  }
  return Object.defineProperty(object, key, { enumerable: true, get })
}

const nameOf = (n: number) => `000001_${String(n).padStart(4, '0')}`
/** Of transaction `seq`: the timelines continue each other. */
const timelineOf = (seq: number) => nameOf(Math.floor((seq * timelines) / (segments + 1)))
const atOf = (seq: number) => new CountedDate(start + seq * 60_000)

function link(seq: number): Link {
  const numbers = { from: seq, to: seq, last: seq, bytes: 1 }
  return { name: `segment ${seq}`, timeline: timelineOf(seq), at: atOf(seq), ...numbers }
}

function base(n: number): Base {
  const seq = (n * segments) / bases
  const at = new CountedDate(atOf(seq).getTime() + 1)
  return { name: `base ${n}`, timeline: timelineOf(seq), seq, at, parts: [], bytes: 0, isPartial: false }
}

function largePlace(): Content {
  const list = Array.from({ length: timelines }, (_, n): Timeline => {
    const parent = n === 0 ? undefined : { name: nameOf(n - 1), seq: (n * segments) / timelines }
    return { name: nameOf(n), generation: 1, parent }
  })
  return {
    timelines: list,
    segments: Array.from({ length: segments }, (_, n) => link(n + 1)),
    bases: Array.from({ length: bases }, (_, n) => base(n)),
    ...{ unfinished: [], cut: [] },
  }
}

test('the ends of all chains: each segment is read a few times, however many bases it continues', () => {
  const links = Array.from({ length: segments }, (_, n) => counted(link(n + 1), 'from'))
  const lasts = links.map(({ last }) => last)
  reads = 0
  const reach = createReach({ segments: links, lasts })
  for (let seq = 0; seq < segments; seq++) expect(reach.endFrom(seq)?.seq).toBe(segments)
  // A binary search of 5000 takes 13, and there are a few per transaction.
  expect(reads).toBeLessThan(60 * segments)
  reads = 0
  const everywhere = links.map(({ from, timeline }) => ({ ...base(0), timeline, seq: from - 1 }))
  const content = { timelines: [], bases: everywhere, segments: links, unfinished: [], cut: [] }
  expect(timesOf(content).size).toBe(segments + 1)
  expect(reads).toBeLessThan(60 * segments)
})

test('ways and the times of their states: each time is read a few times per timeline', () => {
  const content = largePlace()
  const most = 10 * timelines * (segments + bases)
  reads = 0
  expect(waysTo(content).next().value?.segments).toHaveLength(segments / bases)
  expect(reads).toBeLessThan(most)
  reads = 0
  expect(timesOf(content).size).toBe(segments + bases)
  expect(reads).toBeLessThan(most)
})

/** Timelines that continue each other, with a base and three segments each: more than a map of ancestors for each leaves memory for. */
function longChain(count: number, baseOf: (n: number) => number): Content {
  const timeline = (n: number) => ({ name: nameOf(n), generation: 1 })
  return {
    timelines: Array.from({ length: count }, (_, n): Timeline => {
      return { ...timeline(n), parent: n === 0 ? undefined : { name: nameOf(n - 1), seq: 3 * n } }
    }),
    bases: Array.from({ length: count }, (_, n) => ({
      ...{ name: `base ${n}`, timeline: nameOf(n), seq: baseOf(n), at: atOf(3 * n), parts: [], bytes: 0 },
      isPartial: false,
    })),
    segments: Array.from({ length: 3 * count }, (_, n) => {
      const numbers = { from: n + 1, to: n + 1, bytes: 1 }
      const segment = {
        name: `segment ${n}`,
        timeline: nameOf(Math.floor(n / 3)),
        at: atOf(n + 1),
        ...numbers,
      }
      return counted(segment, 'from')
    }),
    ...{ unfinished: [], cut: [] },
  }
}

test.for([
  ['where each begins', [1250, 5000], (n: number) => 3 * n],
  ['at the first transaction', [300, 1200], () => 0],
] as const)(
  'four times as many timelines with a base %s cost about four times the work',
  ([, counts, baseOf]) => {
    const [few, many] = counts.map((count) => {
      const content = longChain(count, baseOf)
      reads = 0
      expect(waysTo(content).next().value?.seq).toBe(3 * count)
      expect(endsOf(content).size).toBe(1)
      expect(timesOf(content).size).toBeGreaterThanOrEqual(3 * count)
      return reads
    })
    expect(many).toBeLessThan(6 * (few ?? 0))
  },
)

/** Timelines with a segment each, which leave the same one after different transactions. */
function manyBranches(count: number): Content {
  const branches = Array.from({ length: count }, (_, n) => ({ name: nameOf(n + 1), seq: 2 * n + 2 }))
  const trunk = Array.from({ length: 2 * count }, (_, n): Segment => {
    return { ...link(n + 1), name: `segment ${n}`, timeline: nameOf(0) }
  })
  const twigs = branches.map(({ name, seq }): Segment => {
    return {
      ...link(seq + 1),
      at: new CountedDate(atOf(seq).getTime() + 1),
      name: `twig ${seq}`,
      timeline: name,
    }
  })
  return {
    timelines: [
      { name: nameOf(0), generation: 1, parent: undefined },
      ...branches.map(({ name, seq }) => ({ name, generation: 1, parent: { name: nameOf(0), seq } })),
    ],
    bases: [{ ...base(0), timeline: nameOf(0) }],
    segments: [...trunk, ...twigs]
      .sort((a, b) => a.from - b.from)
      .map((segment) => counted(counted(segment, 'from'), 'timeline')),
    ...{ unfinished: [], cut: [] },
  }
}

test.for([
  ['the ends of all timelines', (content: Content) => endsOf(content).size],
  [
    'a loss',
    (content: Content) => {
      const { segments: all } = content
      const [way] = waysTo({ ...content, segments: all.slice(0, -2) })
      return way && lossOf(content, way, undefined)
    },
  ],
  [
    'a clean-up',
    async (content: Content) => {
      const place = new MemoryPlace()
      const target = { place } as unknown as Target
      const [timeline] = content.timelines as [Timeline]
      const replicator = { read: async () => ({ content, timeline }) } as Replicator
      const cleanUps = { isSteady: true, confirm: async () => new Set<string>() }
      const options = { replicator, cleanUps, now: new Date(start), weeks: 12 }
      await compact(target, options)
    },
  ],
] as const)(
  'four times as many branches of a timeline cost about four times the work: %s',
  async ([, work]) => {
    const costs: number[] = []
    for (const count of [250, 1000]) {
      const content = manyBranches(count)
      reads = 0
      await work(content)
      costs.push(reads)
    }
    expect(costs[1]).toBeLessThan(6 * (costs[0] ?? 0))
  },
)

test('changes that this disk has lost: each object is read once, however many timelines it continues', async () => {
  const content = largePlace()
  const { files } = new FaultyDisk()
  const found = await beginTimeline(files, '/data', { seq: segments, now: () => new Date(start) })
  for (let n = 0; n < 150; n++) found.branch(segments)
  const objects = {
    segments: content.segments.map((each) => counted({ ...each }, 'timeline')),
    bases: content.bases.map((each) => counted({ ...each }, 'timeline')),
  }
  reads = 0
  expect(found.lostAt({ ...content, ...objects })).toBeUndefined()
  expect(reads).toBe(segments + bases)
})
