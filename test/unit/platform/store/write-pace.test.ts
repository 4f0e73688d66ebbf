import { beforeEach, expect, test } from 'vitest'
import { WritePace } from '../../../../server/platform/store/write-pace.ts'

let pace: WritePace
beforeEach(() => {
  pace = new WritePace()
})

function pooled(times: number, took = 0.4, isShared = false): void {
  for (let i = 0; i < times; i++) pace.pooled(took, isShared)
}

test('writes block after 16 fast ones that no other call shared', () => {
  pooled(15)
  expect(pace.mayBlock(0)).toBe(false)
  pooled(1)
  expect(pace.mayBlock(0)).toBe(true)
})

test.each([
  ['a slow write', 50, false],
  ['a shared write', 0.4, true],
])('%s starts the count again', (_, took, isShared) => {
  pooled(20)
  pooled(1, took, isShared)
  expect(pace.mayBlock(0)).toBe(false)
  pooled(16)
  expect(pace.mayBlock(0)).toBe(true)
})

test('one write in 33 goes through the thread pool', () => {
  pooled(16)
  for (let i = 0; i < 32; i++) {
    expect(pace.mayBlock(0)).toBe(true)
    pace.blocking(0.25, 0)
  }
  expect(pace.mayBlock(0)).toBe(false)
  pooled(1)
  expect(pace.mayBlock(0)).toBe(true)
})

test('after a slow blocking write, calm ones must follow', () => {
  pooled(16)
  pace.blocking(5, 1000)
  expect(pace.mayBlock(1000)).toBe(false)
  pooled(16)
  expect(pace.mayBlock(1001)).toBe(true)
})

test('a blocking write that stalls pauses blocking for 30 seconds, the next one for a minute', () => {
  pooled(16)
  pace.blocking(80, 1000)
  pooled(16)
  expect(pace.mayBlock(30_999)).toBe(false)
  expect(pace.mayBlock(31_000)).toBe(true)
  pace.blocking(80, 40_000)
  pooled(16)
  expect(pace.mayBlock(99_999)).toBe(false)
  expect(pace.mayBlock(100_000)).toBe(true)
})
