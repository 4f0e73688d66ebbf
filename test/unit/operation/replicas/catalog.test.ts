/** What can be restored, as names say: timelines continue each other, and branches do not mix. */
import { describe, expect, test } from 'vitest'
import {
  type Base,
  type Content,
  listTimelines,
  newestGeneration,
  type Segment,
  type Timeline,
} from '../../../../server/operation/replicas/catalog.ts'
import { chainOf, waysTo } from '../../../../server/operation/replicas/ways/ways.ts'
import { MemoryPlace } from '../../../support/replicas/memory-place.ts'

const at = (minute: number) => new Date(Date.UTC(2030, 0, 1, 0, minute))
const timeline = (name: string, parent?: Timeline, seq = 0): Timeline => ({
  ...{ name, generation: Number.parseInt(name, 10) },
  parent: parent && { name: parent.name, seq },
})
const base = (of: Timeline, seq: number, minute: number): Base => ({
  ...{ name: `base ${seq} of ${of.name}`, timeline: of.name, seq, at: at(minute), parts: [] },
  bytes: 0,
  isPartial: false,
})
const segment = (of: Timeline, from: number, to: number, minute: number): Segment => ({
  ...{ name: `${from}-${to} of ${of.name}`, timeline: of.name, from, to, at: at(minute), bytes: 1 },
})
const content = (timelines: Timeline[], bases: Base[], segments: Segment[]): Content => ({
  ...{ timelines, bases, unfinished: [], cut: [] },
  segments: segments.toSorted((a, b) => a.from - b.from || a.to - b.to),
})

const first = timeline('000001_aa')
const second = timeline('000001_bb', first, 5)
const third = timeline('000001_cc', second, 7)

describe('the chain of a timeline', () => {
  test('goes through those that it continues, each up to where the next one began', () => {
    const all = content(
      [first, second, third],
      [base(first, 2, 1)],
      [
        segment(first, 3, 6, 2),
        segment(first, 7, 9, 3),
        segment(second, 6, 7, 4),
        segment(second, 8, 8, 5),
        segment(third, 8, 10, 6),
      ],
    )
    const chain = chainOf(all, third)
    expect(chain?.segments.map(({ name, last }) => [name, last])).toEqual([
      ['3-6 of 000001_aa', 5],
      ['6-7 of 000001_bb', 7],
      ['8-10 of 000001_cc', 10],
    ])
    expect([chain?.seq, chain?.at]).toEqual([10, at(6)])
    expect(chainOf(all, second)?.seq).toBe(8)
    expect(chainOf(all, first)?.seq).toBe(9)
    expect(chainOf(all, third, { until: at(4) })?.seq).toBe(7)
  })

  test('does not begin with a base that another branch made later', () => {
    const all = content([first, second], [base(first, 4, 1), base(first, 6, 2)], [segment(second, 5, 8, 3)])
    expect(chainOf(all, second)?.base.seq).toBe(4)
    expect(chainOf(content([first, second], [base(first, 6, 2)], []), second)).toBeUndefined()
  })

  test('takes the segments that reach farthest, and ends at a gap', () => {
    const segments = [
      segment(first, 2, 3, 1),
      segment(first, 2, 5, 2),
      segment(first, 4, 4, 2),
      segment(first, 6, 7, 3),
      segment(first, 9, 9, 4),
    ]
    const chain = chainOf(content([first], [base(first, 1, 0)], segments), first)
    expect(chain?.segments.map(({ from, last }) => [from, last])).toEqual([
      [2, 5],
      [6, 7],
    ])
  })

  test('a timeline that continues itself through a damaged listing ends', () => {
    const [one, two] = [timeline('000001_aa', second, 1), second]
    expect(chainOf(content([one, two], [base(one, 1, 0)], []), two)?.seq).toBe(1)
  })
})

describe('ways', () => {
  test('lead to all branches: the newest state of the highest generation first', () => {
    const restored = timeline('000002_dd')
    const all = content(
      [first, second, restored],
      [base(first, 1, 0), base(first, 3, 2), base(restored, 3, 5)],
      [segment(first, 2, 9, 10), segment(second, 6, 8, 12)],
    )
    const shown = [...waysTo(all)].map((way) => [way.timeline.name, way.base.seq, way.seq])
    expect(shown).toEqual([
      ['000002_dd', 3, 3],
      ['000001_bb', 3, 8],
      ['000001_bb', 1, 8],
      ['000001_aa', 3, 9],
      ['000001_aa', 1, 9],
    ])
    expect([...waysTo(all, at(3))].map(({ seq }) => seq)).toEqual([3, 3, 1, 1])
  })

  test('a timeline whose own object is missing is one way, too', () => {
    const ways = [...waysTo(content([], [base(first, 1, 0)], [segment(first, 2, 3, 1)]))]
    expect(ways.map(({ seq }) => seq)).toEqual([3])
  })
})

test('timelines are listed with what they continue; other names are ignored', async () => {
  const place = new MemoryPlace()
  const root = '000002_0123456789abcdef'
  for (const name of [root, `000002_ff-000000000012-${root}`, 'notes.txt', '000001_ff-12', '-1-'])
    place.objects.set(`timelines/${name}`, Buffer.alloc(1))
  expect(await listTimelines(place)).toEqual([
    { name: root, generation: 2, parent: undefined },
    { name: '000002_ff', generation: 2, parent: { name: root, seq: 12 } },
  ])
})

test('a forged name with a number that no server reaches raises no generation', async () => {
  const place = new MemoryPlace()
  const sealer = { sealedBytes: (bytes: number) => bytes }
  for (const name of [
    `1${'0'.repeat(21)}_ab`,
    '999999999999999_ab',
    `000001_ab-1${'0'.repeat(21)}-000002_ab`,
  ])
    place.objects.set(`timelines/${name}`, Buffer.alloc(1))
  place.objects.set('timelines/000007_ab', Buffer.alloc(1))
  expect(await newestGeneration({ place, sealer })).toBe(7)
  expect((await listTimelines(place)).map(({ name }) => name)).toEqual(['999999999999999_ab', '000007_ab'])
})
