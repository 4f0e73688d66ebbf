import { expect, test } from 'vitest'
import type { Content } from '../../../../../server/operation/replicas/catalog.ts'
import { endsOf, thinned } from '../../../../../server/operation/replicas/restore-points.ts'
import { timesOf } from '../../../../../server/operation/replicas/ways/times.ts'
import { waysTo } from '../../../../../server/operation/replicas/ways/ways.ts'
import { day, minute } from '../../../../support/server/clock.ts'

const start = Date.parse('2030-01-01T00:00:00Z')

test('what continues a timeline is found first, although the clock was ahead before', () => {
  const [parent, child] = ['000001_aaaa', '000001_bbbb']
  const segment = (timeline: string, from: number, ms: number) => {
    return { name: `segments/${from}`, timeline, from, to: from, at: new Date(start + ms), bytes: 1 }
  }
  const content: Content = {
    timelines: [
      { name: parent, generation: 1, parent: undefined },
      { name: child, generation: 1, parent: { name: parent, seq: 2 } },
    ],
    bases: [
      {
        name: 'bases/1',
        timeline: parent,
        seq: 1,
        at: new Date(start),
        parts: [],
        bytes: 0,
        isPartial: false,
      },
    ],
    segments: [segment(parent, 2, 400 * day), segment(child, 3, day)],
    ...{ unfinished: [], cut: [] },
  }
  const [first] = waysTo(content)
  expect(first?.seq).toBe(3)
})

test('a later base of a clone that has written nothing hides no transaction of the timeline that it continues', () => {
  const [parent, clone] = ['000001_aaaa', '000001_bbbb']
  const base = (timeline: string, ms: number) => {
    return {
      name: `bases/${timeline}`,
      timeline,
      seq: 1,
      at: new Date(start + ms),
      parts: [],
      bytes: 0,
      isPartial: false,
    }
  }
  const content: Content = {
    timelines: [
      { name: parent, generation: 1, parent: undefined },
      { name: clone, generation: 1, parent: { name: parent, seq: 1 } },
    ],
    bases: [base(parent, 0), base(clone, day)],
    segments: [
      { name: 'segments/2', timeline: parent, from: 2, to: 2, at: new Date(start + 1000), bytes: 1 },
    ],
    ...{ unfinished: [], cut: [] },
  }
  expect([...waysTo(content)].map(({ seq }) => seq)).toEqual([2, 1, 1])
  const own = { name: 'segments/3', timeline: clone, from: 2, to: 2, at: new Date(start + 2 * day), bytes: 1 }
  const [first] = waysTo({ ...content, segments: [...content.segments, own] })
  expect(first?.timeline.name).toBe(clone)
})

test('of one timeline, the way to the last transaction is found first, although a base before it was made with a clock ahead', () => {
  const [timeline] = ['000001_aaaa']
  const base = (seq: number, ms: number) => {
    return {
      name: `bases/${seq}`,
      timeline,
      seq,
      at: new Date(start + ms),
      parts: [],
      bytes: 0,
      isPartial: false,
    }
  }
  const content: Content = {
    timelines: [{ name: timeline, generation: 1, parent: undefined }],
    bases: [base(1, 400 * day), base(2, day)],
    ...{ segments: [], unfinished: [], cut: [] },
  }
  expect([...waysTo(content)].map(({ seq }) => seq)).toEqual([2, 1])
})

test('what continues a timeline with a base of its own is found before the end of that timeline, which was made with a clock ahead', () => {
  const [parent, child] = ['000001_aaaa', '000001_bbbb']
  const base = (timeline: string, seq: number, ms: number) => ({
    ...{ name: `bases/${timeline}`, timeline, seq, at: new Date(start + ms) },
    ...{ parts: [], bytes: 0, isPartial: false },
  })
  const content: Content = {
    timelines: [
      { name: parent, generation: 1, parent: undefined },
      { name: child, generation: 1, parent: { name: parent, seq: 2 } },
    ],
    bases: [base(parent, 1, 400 * day), base(child, 4, day)],
    segments: [
      { name: 'segments/2', timeline: parent, from: 2, to: 2, at: new Date(start + 401 * day), bytes: 1 },
    ],
    ...{ unfinished: [], cut: [] },
  }
  const [first] = waysTo(content)
  expect(first?.seq).toBe(4)
})

test('a base that leaves pages out continues nothing: the newest complete state is found first', () => {
  const [parent, child, branch] = ['000001_aaaa', '000001_bbbb', '000001_cccc']
  const base = (timeline: string, seq: number, minutes: number, isPartial: boolean) => ({
    ...{ name: `bases/${timeline}`, timeline, seq, at: new Date(start + minutes * minute) },
    ...{ parts: [], bytes: 0, isPartial },
  })
  const segment = (timeline: string, minutes: number) => ({
    ...{ name: `segments/${timeline}`, timeline, from: 2, to: 2 },
    ...{ at: new Date(start + minutes * minute), bytes: 1 },
  })
  const content: Content = {
    timelines: [
      { name: parent, generation: 1, parent: undefined },
      { name: child, generation: 1, parent: { name: parent, seq: 2 } },
      { name: branch, generation: 1, parent: { name: parent, seq: 1 } },
    ],
    bases: [base(parent, 1, 0, false), base(child, 5, 4, true)],
    segments: [segment(parent, 3), segment(branch, 2)],
    ...{ unfinished: [], cut: [] },
  }
  const [first] = waysTo(content)
  expect([first?.base.isPartial, first?.at.getTime()]).toEqual([false, start + 3 * minute])
  // It continues the end of its own timeline as little.
  const own = { ...content, bases: [base(parent, 1, 0, false), base(parent, 5, 4, true)] }
  expect(waysTo(own).next().value?.at.getTime()).toBe(start + 3 * minute)
})

/** A timeline with a base and a segment, and one that a restore began with a base. */
function restored(generation: number): Content {
  const [before, after] = ['000001_aaaa', `00000${generation}_bbbb`]
  const base = (timeline: string, seq: number, minutes: number) => ({
    ...{ name: `bases/${timeline}`, timeline, seq, at: new Date(start + minutes * minute) },
    ...{ parts: [], bytes: 0, isPartial: false },
  })
  const segment = (timeline: string, seq: number, minutes: number) => ({
    ...{ name: `segments/${timeline}-${seq}`, timeline, from: seq, to: seq },
    ...{ at: new Date(start + minutes * minute), bytes: 1 },
  })
  return {
    timelines: [
      { name: before, generation: 1, parent: undefined },
      { name: after, generation, parent: undefined },
    ],
    bases: [base(before, 1, 0), base(after, 2, 2)],
    segments: [segment(before, 2, 3), segment(after, 3, 4)],
    ...{ unfinished: [], cut: [] },
  }
}

test('the last state before a restore stays a restore point beside later ones of the same hour', () => {
  const content = restored(1)
  const ends = endsOf(content)
  expect([...ends].toSorted()).toEqual([start + 3 * minute, start + 4 * minute])
  expect(thinned([...timesOf(content)], ends)).toEqual([start + 4 * minute, start + 3 * minute])
})

test('a timeline that another one continues has no end of its own', () => {
  const content = restored(1)
  const [before, after] = content.timelines
  const timelines = [before, { ...after, parent: { name: before?.name ?? '', seq: 2 } }]
  const ends = endsOf({ ...content, timelines: timelines as Content['timelines'] })
  expect([...ends]).toEqual([start + 4 * minute])
})

test('the time of a listed state leads to it, although a later generation has an earlier one', () => {
  const content = restored(2)
  const at = (minutes: number) =>
    waysTo(content, new Date(start + minutes * minute))
      .next()
      .value?.at.getTime()
  expect(at(3)).toBe(start + 3 * minute)
  expect(at(3.5)).toBe(start + 2 * minute)
})
