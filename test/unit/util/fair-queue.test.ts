/** The queue in which sources take turns, and the limit on tasks that uses it. */
import { describe, expect, test } from 'vitest'
import { createFairQueue, type FairQueue } from '../../../server/util/fair-queue.ts'
import { createLimit, QueueFull } from '../../../server/util/limit.ts'

/** Adds jobs whose first letter is their source. */
function add(queue: FairQueue<string>, ...jobs: string[]): (string | undefined)[] {
  return jobs.map((job) => queue.push(job.charAt(0), job))
}

function takeAll(queue: FairQueue<string>): (string | undefined)[] {
  return Array.from({ length: queue.size }, () => queue.shift())
}

describe('fair queue', () => {
  test('returns jobs in order within a source, and alternates between sources', () => {
    const queue = createFairQueue<string>(10)
    add(queue, 'a1', 'a2', 'a3', 'b1', 'b2', 'c1')
    expect(takeAll(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
    expect(queue.shift()).toBeUndefined()
  })

  test('two sources that fill it do not take turns at dropping each other', () => {
    const queue = createFairQueue<string>(5)
    add(queue, 'a1', 'a2', 'a3', 'b1', 'b2')
    expect(add(queue, 'b3', 'a4', 'c1', 'c2')).toEqual(['b3', 'a4', 'a3', 'c2'])
    expect(takeAll(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2'])
  })

  test('a source that is not ready keeps its turn', () => {
    const queue = createFairQueue<string>(10)
    add(queue, 'a1', 'a2', 'b1', 'b2')
    expect(queue.shift((source) => source !== 'a')).toBe('b1')
    expect(queue.shift(() => false)).toBeUndefined()
    expect(takeAll(queue)).toEqual(['a1', 'b2', 'a2'])
  })

  test('a removed job leaves room for another one', () => {
    const queue = createFairQueue<string>(2)
    add(queue, 'a1', 'b1')
    expect(queue.remove('a', 'a1')).toBe(true)
    expect(queue.remove('a', 'a1')).toBe(false)
    expect(queue.size).toBe(1)
    expect(add(queue, 'c1')).toEqual([undefined])
    expect(queue.clear()).toEqual(['b1', 'c1'])
    expect(add(queue, 'd1')).toEqual([undefined])
    expect(takeAll(queue)).toEqual(['d1'])
  })
})

describe('limit of tasks', () => {
  test('tasks of one key wait in order, and those of another key do not wait for them', async () => {
    const limit = createLimit({ total: 2, perKey: 1 })
    const order: string[] = []
    const ends = new Map<string, () => void>()
    const run = (name: string) =>
      limit(name.charAt(0), () => {
        order.push(name)
        return new Promise<void>((resolve) => ends.set(name, resolve))
      })
    const all = ['a1', 'a2', 'a3', 'b1', 'c1'].map(run)
    expect(order).toEqual(['a1', 'b1'])
    for (const name of ['a1', 'b1', 'a2', 'c1', 'a3']) {
      ends.get(name)?.()
      await all[['a1', 'a2', 'a3', 'b1', 'c1'].indexOf(name)]
      await Promise.resolve()
    }
    await Promise.all(all)
    expect(order).toEqual(['a1', 'b1', 'a2', 'c1', 'a3'])
  })

  test('when too many wait, the key with the most loses its newest task', async () => {
    const limit = createLimit({ total: 1, perKey: 1, waiting: 3 })
    const first = Promise.withResolvers<void>()
    const order: string[] = []
    const run = (name: string) =>
      limit(name.charAt(0), async () => {
        order.push(name)
        await first.promise
      })
    const all = Promise.allSettled(['a1', 'a2', 'a3', 'a4', 'b1', 'a5'].map(run))
    first.resolve()
    const refused = { status: 'rejected', reason: expect.any(QueueFull) }
    const done = { status: 'fulfilled' }
    expect(await all).toMatchObject([done, done, done, refused, done, refused])
    expect(order).toEqual(['a1', 'a2', 'b1', 'a3'])
  })

  test('an aborted task leaves the queue', async () => {
    const limit = createLimit({ total: 1, perKey: 1 })
    const first = Promise.withResolvers<void>()
    const order: string[] = []
    const run = (name: string, signal?: AbortSignal) =>
      limit(
        name,
        async () => {
          order.push(name)
          await first.promise
        },
        signal,
      )
    const leaving = new AbortController()
    const all = Promise.allSettled([run('a'), run('b', leaving.signal), run('c')])
    leaving.abort('left')
    first.resolve()
    expect(await all).toMatchObject([{}, { reason: 'left' }, { status: 'fulfilled' }])
    expect(order).toEqual(['a', 'c'])
    await expect(run('d', leaving.signal)).resolves.toBeUndefined()
  })
})
