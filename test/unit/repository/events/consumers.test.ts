/** Who gets a place on the event stream, and who loses one. */
import { expect, test } from 'vitest'
import { createConsumers } from '../../../../server/repository/events/consumers.ts'

/** The consumers that have lost their place. */
const lost = (consumers: readonly { readonly error: string | undefined }[]) =>
  consumers.flatMap(({ error }, index) => (error ? [[index, error]] : []))

const consumer = (network: string, position = 0) => ({
  network,
  position,
  error: undefined as string | undefined,
  end({ name }: { readonly name: string }) {
    this.error = name
  },
})

test('when all places are taken, the network with the most consumers loses the one furthest behind', () => {
  const { add } = createConsumers(5)
  const consumers = [
    consumer('many', 7),
    consumer('many', 3),
    consumer('many', 8),
    consumer('two', 1),
    consumer('two', 1),
    consumer('new'),
  ]
  for (const one of consumers) add(one)
  expect(lost(consumers)).toEqual([[1, 'ConsumerTooSlow']])
})

test('of consumers that are equally far, the newest loses its place', () => {
  const { add } = createConsumers(3)
  const consumers = [consumer('many'), consumer('many'), consumer('many'), consumer('new')]
  for (const one of consumers) add(one)
  expect(lost(consumers)).toEqual([[2, 'ConsumerTooSlow']])
})

test('a network gets no place from one that has as many, or only one more', () => {
  const { add } = createConsumers(3)
  const consumers = [consumer('a'), consumer('b'), consumer('b')]
  for (const one of consumers) add(one)
  for (const network of ['a', 'b']) expect(() => add(consumer(network))).toThrow('too many consumers')
  expect(lost(consumers)).toEqual([])
})

test('a place that was given up or lost is free once', () => {
  const { add } = createConsumers(2)
  const removals = [add(consumer('a')), add(consumer('a')), add(consumer('b'))]
  for (const remove of removals.slice(0, 2)) remove()
  add(consumer('c'))
  expect(() => add(consumer('d'))).toThrow('too many consumers')
})
