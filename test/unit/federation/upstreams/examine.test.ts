/** Events of other servers are verified, and those that cost look-ups are counted. */
import { expect, test } from 'vitest'
import { createExaminer } from '../../../../server/federation/upstreams/examine.ts'
import { day, minute, second, TestClock } from '../../../support/server/clock.ts'

const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'

function setup() {
  const clock = new TestClock()
  let looked = 0
  const unused = () => {
    throw new Error('not used')
  }
  const examine = createExaminer({
    origin: 'https://relay.test',
    actors: { identify: unused, forget: async () => void looked++ },
    intake: { isOverBudget: unused },
    statusClaims: { settle: unused, ask: unused } as never,
    now: clock.now,
  })
  const send = async (count: number) => {
    for (let i = 0; i < count; i++) await examine({ kind: 'identity', seq: i, did, time: '' } as never)
    return looked
  }
  return { clock, send }
}

test('five events of an identity count per minute', async () => {
  const { clock, send } = setup()
  expect(await send(7)).toBe(5)
  clock.advance(minute - second)
  expect(await send(1)).toBe(5)
  clock.advance(second)
  expect(await send(7)).toBe(10)
})

test('events of an identity count again after the clock was ahead', async () => {
  const { clock, send } = setup()
  clock.advance(365 * day)
  expect(await send(7)).toBe(5)
  clock.advance(-365 * day)
  expect(await send(1)).toBe(6)
})
