/** What a restore leaves out of the listed changes is named, whatever the clocks were. */
import { expect, test } from 'vitest'
import type { Base, Content, Segment, Timeline } from '../../../../server/operation/replicas/catalog.ts'
import { lossOf } from '../../../../server/operation/replicas/loss.ts'
import { waysTo } from '../../../../server/operation/replicas/ways/ways.ts'

const name = '000001_aa'
const timeline: Timeline = { name, generation: 1, parent: undefined }
const base: Base = {
  ...{ name: 'bases/1', timeline: name, seq: 1, at: new Date('2030-01-02T00:00:00Z') },
  ...{ parts: ['part'], bytes: 1, isPartial: false },
}

function segment(number: number, at: string, of = name): Segment {
  return {
    name: `segments/${number}-${of}`,
    timeline: of,
    from: number,
    to: number,
    at: new Date(at),
    bytes: 1,
  }
}

/** Returns the loss of the newest state if some segments are damaged. */
function lossWithout(damaged: readonly Segment[], intact: readonly Segment[], timelines = [timeline]) {
  const content: Content = {
    ...{ timelines, bases: [base], segments: [...intact, ...damaged] },
    ...{ unfinished: [], cut: [] },
  }
  const [way] = waysTo({ ...content, segments: intact })
  if (!way) throw new Error('There is no way.')
  return { seq: way.seq, loss: lossOf(content, way, undefined) }
}

const first = segment(2, '2030-01-02T00:01:00Z')

test('later transactions are named as lost, also if the clock was set back before them', () => {
  for (const day of ['2030-01-03', '2030-01-01']) {
    const later = [segment(3, `${day}T00:00:00Z`), segment(4, `${day}T00:01:00Z`)]
    const { seq, loss = '' } = lossWithout(later, [first])
    expect(seq).toBe(2)
    expect(loss).toContain('2 objects with later changes cannot be used')
  }
})

test('transactions of an earlier branch, which the restored state has left, are not lost', () => {
  const [branch, own] = ['000001_bb', '000001_cc']
  const timelines = [
    { name: own, generation: 1, parent: { name: branch, seq: 2 } },
    { name: branch, generation: 1, parent: { name, seq: 2 } },
    timeline,
  ]
  const left = [segment(3, '2030-01-01T00:00:00Z', branch), segment(4, '2030-01-01T00:01:00Z', branch)]
  expect(lossWithout(left, [first, segment(3, '2030-01-02T00:02:00Z', own)], timelines)).toEqual({
    seq: 3,
    loss: undefined,
  })
})
