/** Since when a place lacks changes. */
import { expect, test } from 'vitest'
import { createBacklog } from '../../../../server/operation/replicas/backlog.ts'

const at = (minute: number) => new Date(Date.UTC(2030, 0, 1, 0, minute))

test('a place lacks changes since the oldest one after its last transaction', () => {
  const backlog = createBacklog()
  expect(backlog.since(0)).toBeUndefined()
  backlog.add(5, at(1))
  backlog.add(7, at(2))
  expect(backlog.since(4)).toEqual(at(1))
  expect(backlog.since(5)).toEqual(at(2))
  expect(backlog.since(7)).toBeUndefined()
})

test('a place that is away for long costs no memory, and lacks changes since the oldest one', () => {
  const backlog = createBacklog()
  for (let seq = 1; seq <= 5000; seq++) backlog.add(seq, at(seq))
  expect(backlog.since(0)).toEqual(at(1))
  expect(backlog.since(4999)).toEqual(at(1000))
  expect(backlog.since(5000)).toBeUndefined()
})
