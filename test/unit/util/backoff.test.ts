import { expect, onTestFinished, test, vi } from 'vitest'
import { backoffMs } from '../../../server/util/backoff.ts'

const delays = (options: Parameters<typeof backoffMs>[0], counts: readonly number[]) =>
  counts.map((failures) => backoffMs(options, failures))

test('back-off: the delay doubles with each failure, up to the longest', () => {
  expect(delays({ firstMs: 10, longestMs: 50 }, [0, 1, 2, 3, 4])).toEqual([10, 20, 40, 50, 50])
  expect(delays({ firstMs: 10, longestMs: 50 }, [5000, Number.POSITIVE_INFINITY])).toEqual([50, 50])
})

test('back-off: the first delay is not above the longest', () => {
  expect(backoffMs({ firstMs: 80, longestMs: 50 }, 0)).toBe(50)
})

test('back-off: another factor', () => {
  expect(delays({ firstMs: 10, longestMs: 1000, factor: 4 }, [0, 1, 2, 3, 4])).toEqual([
    10, 40, 160, 640, 1000,
  ])
})

test('back-off: jitter spreads delays over its range, the longest too', () => {
  const random = vi.spyOn(Math, 'random')
  onTestFinished(() => random.mockRestore())
  const options = { firstMs: 100, longestMs: 200, jitter: [0.75, 1.25] } as const
  random.mockReturnValue(0)
  expect(delays(options, [0, 5])).toEqual([75, 150])
  random.mockReturnValue(0.5)
  expect(delays(options, [0, 5])).toEqual([100, 200])
  random.mockReturnValue(1)
  expect(delays(options, [0, 5])).toEqual([125, 250])
})
