/** The state of the copies as Home shows it. */
import { expect, test } from 'vitest'
import type { com } from '../../../lexicons/generated/index.ts'
import { copySummary } from '../../../renderer/parts/replicas/copy-state.ts'
import { day, hour, minute } from '../../support/server/clock.ts'

type Copies = com.core.admin.getCopies.$OutputBody
type CopyPlace = com.core.admin.getCopies.Place

const now = Date.parse('2030-01-20T12:00:00.000Z')
const ago = (ms: number) => new Date(now - ms).toISOString() as CopyPlace['lastCopiedAt']

const place = (more: Partial<CopyPlace> = {}): CopyPlace => ({
  url: 'file:///disk',
  behindSeconds: 0,
  missingMedia: 0,
  paused: false,
  ...more,
})
const behind = (ms: number) => place({ lastCopiedAt: ago(ms), behindSeconds: ms / 1000 })
const problem = { kind: 'unreachable', message: 'Connect the disk.' } as const
const unreachable = (ms: number) => place({ lastCopiedAt: ago(ms), problem })
const stateOf = (places: CopyPlace[], more: Partial<Copies> = {}) =>
  copySummary({ places, ...more }, now).state

test.each<[string, string, CopyPlace[]]>([
  ['none', 'without places', []],
  ['first', 'before the first copy', [place()]],
  ['failing', 'when the first copy cannot be made', [place({ problem })]],
  ['failing', 'when it cannot be restored', [place({ lastCopiedAt: ago(minute), proofProblem: 'Damaged.' })]],
  ['current', 'with everything', [place({ lastCopiedAt: ago(minute) })]],
  // Nothing has changed since.
  ['current', 'with everything for a month', [place({ lastCopiedAt: ago(30 * day) })]],
  [
    'current',
    'with everything at one of two places',
    [unreachable(9 * day), place({ lastCopiedAt: ago(hour) })],
  ],
  ['copied', 'behind for an hour', [behind(hour)]],
  ['copied', 'unreachable for six days', [unreachable(6 * day)]],
  ['old', 'behind for eight days', [behind(8 * day)]],
  // Whether the place still has its copy is unknown.
  ['old', 'unreachable for eight days, without a change', [unreachable(8 * day)]],
  ['copied', 'made while the clock was ahead', [unreachable(-day)]],
  ['elsewhere', 'continued at another computer', [place({ problem: { ...problem, kind: 'elsewhere' } })]],
])('the state is %s: %s', (state, _, places) => {
  expect(stateOf(places)).toBe(state)
})

test('another computer may continue a server without places', () => {
  expect(stateOf([], { elsewhere: true })).toBe('elsewhere')
})
