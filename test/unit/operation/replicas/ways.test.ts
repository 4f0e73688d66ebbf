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
