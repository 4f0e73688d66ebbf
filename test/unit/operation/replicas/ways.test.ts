import { expect, test } from 'vitest'
import { type Content, waysTo } from '../../../../server/operation/replicas/catalog.ts'
import { day } from '../../../support/clock.ts'

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
    bases: [{ name: 'bases/1', timeline: parent, seq: 1, at: new Date(start), parts: [], isPartial: false }],
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
    return { name: `bases/${seq}`, timeline, seq, at: new Date(start + ms), parts: [], isPartial: false }
  }
  const content: Content = {
    timelines: [{ name: timeline, generation: 1, parent: undefined }],
    bases: [base(1, 400 * day), base(2, day)],
    ...{ segments: [], unfinished: [], cut: [] },
  }
  expect([...waysTo(content)].map(({ seq }) => seq)).toEqual([2, 1])
})
