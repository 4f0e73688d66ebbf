/** The stops of started parts. */
import { expect, test } from 'vitest'
import { createStops } from '../../../server/util/stops.ts'

test('run from the last to the first, each after the end of the one before', async () => {
  const stops = createStops()
  const order: string[] = []
  stops.defer(() => order.push('first'))
  stops.defer(async () => {
    await null
    order.push('second')
  })
  await stops.run()
  expect(order).toEqual(['second', 'first'])
  await stops.run()
  expect(order).toHaveLength(2)
})

test('a failure is thrown after all others have run', async () => {
  const stops = createStops()
  const order: string[] = []
  stops.defer(() => order.push('first'))
  stops.defer(() => Promise.reject(new Error('broken')))
  stops.defer(() => order.push('third'))
  await expect(stops.run()).rejects.toThrow('broken')
  expect(order).toEqual(['third', 'first'])
})

test('several failures are thrown together', async () => {
  const stops = createStops()
  stops.defer(() => Promise.reject(new Error('one')))
  stops.defer(() => {
    throw new Error('two')
  })
  const errors = [expect.objectContaining({ message: 'two' }), expect.objectContaining({ message: 'one' })]
  await expect(stops.run()).rejects.toMatchObject({ errors })
})
