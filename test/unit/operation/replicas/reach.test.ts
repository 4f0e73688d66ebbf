/** The work of reading what a place has grows with the number of its objects, not with its square. */

import { expect, test } from 'vitest'
import type { Base, Content, Timeline } from '../../../../server/operation/replicas/catalog.ts'
import type { Link } from '../../../../server/operation/replicas/reach.ts'
import { createReach } from '../../../../server/operation/replicas/reach.ts'
import { beginTimeline } from '../../../../server/operation/replicas/timeline.ts'
import { timesOf, waysTo } from '../../../../server/operation/replicas/ways.ts'
import { FaultyDisk } from '../../../support/store/faulty-disk.ts'

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
  expect(reach.segmentsFrom([...links.keys()])).toHaveLength(segments)
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
