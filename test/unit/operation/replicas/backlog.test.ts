/** Since when a place lacks changes. */
import { expect, test } from 'vitest'
import { createBacklog } from '../../../../server/operation/replicas/backlog.ts'

const at = (minute: number) => new Date(Date.UTC(2030, 0, 1, 0, minute))

test('a place lacks changes since the oldest one, until a step has copied them', async () => {
  const backlog = createBacklog()
  expect(backlog.since).toBeUndefined()
  backlog.add(at(1))
  backlog.add(at(2))
  await backlog.during(async () => {
    expect(backlog.since).toEqual(at(1))
    return true
  })
  expect(backlog.since).toBeUndefined()
})

test('changes during a step are left to the next one', async () => {
  const backlog = createBacklog()
  backlog.add(at(1))
  await backlog.during(async () => {
    backlog.add(at(2))
    backlog.add(at(3))
    return true
  })
  expect(backlog.since).toEqual(at(2))
})

test('a failed step copies nothing', async () => {
  const backlog = createBacklog()
  backlog.add(at(1))
  await backlog.during(async () => {
    backlog.add(at(2))
    return false
  })
  expect(backlog.since).toEqual(at(1))
  await backlog.during(async () => true)
  expect(backlog.since).toBeUndefined()
})
