/** The order of the events of one connection on their way to the store. */
import { expect, test } from 'vitest'
import { EventBuffer, type Result } from '../../../../server/federation/upstreams/event-buffer.ts'
import type { Frame } from '../../../../server/federation/upstreams/upstream-frames.ts'

const frame = (seq: number, did = 'did:web:bob.test', bytes = 100): Frame => ({
  kind: 'commit',
  seq,
  did,
  time: '',
  blocks: Buffer.alloc(0),
  bytes: Buffer.alloc(bytes),
  payloadAt: 0,
})

const changes: Result = { kind: 'changes', changes: [] }

test('an event is in the buffer until it is removed after its transaction', () => {
  const buffer = new EventBuffer()
  const one = frame(1)
  buffer.setReady(buffer.add(one), changes)
  const batch = buffer.takeBatch()
  expect(buffer.takeBatch()).toBeUndefined()
  expect(buffer.has(one.did)).toBe(true)
  buffer.remove(batch?.entries ?? [])
  expect(buffer.has(one.did)).toBe(false)
})

test('the position is before the first event that is not stored', () => {
  const buffer = new EventBuffer()
  expect(buffer.position()).toBeUndefined()
  const [first, second] = [buffer.add(frame(5)), buffer.add(frame(7))]
  buffer.pass(9)
  expect(buffer.position()).toBe(4)
  expect(buffer.position(new Set([second]))).toBe(4)
  expect(buffer.position(new Set([first]))).toBe(5)
  expect(buffer.position(new Set([first, second]))).toBe(9)
  buffer.remove([first, second])
  expect(buffer.position()).toBe(9)
})

test('an event with a lower number than its predecessors does not move the position beyond it', () => {
  const buffer = new EventBuffer()
  buffer.pass(9)
  buffer.add(frame(4))
  expect([buffer.position(), buffer.lastSeq]).toEqual([3, 9])
})

test('the buffer is full with 4,000 events or 20 MB', () => {
  const buffer = new EventBuffer()
  const entries = Array.from({ length: 4000 }, (_, seq) => buffer.add(frame(seq)))
  expect([buffer.isFull, buffer.isHalfEmpty]).toEqual([true, false])
  buffer.remove(entries.slice(0, 1))
  expect([buffer.isFull, buffer.isHalfEmpty]).toEqual([false, false])
  buffer.remove(entries.slice(1, 2000))
  expect(buffer.isHalfEmpty).toBe(true)
  const large = buffer.add(frame(5000, 'did:web:carol.test', 20_000_000))
  expect([buffer.isFull, buffer.isHalfEmpty]).toEqual([true, false])
  buffer.remove([large])
  expect([buffer.isFull, buffer.isHalfEmpty]).toEqual([false, true])
})

test('a batch joins the changes of up to 50 events, and other results are on their own', () => {
  const buffer = new EventBuffer()
  const results: Result[] = [
    ...Array.from({ length: 51 }, () => changes),
    { kind: 'nothing' },
    { kind: 'later', frame: frame(100) },
    changes,
  ]
  results.forEach((result, seq) => {
    buffer.setReady(buffer.add(frame(seq)), result)
  })
  expect(buffer.hasFullBatch).toBe(true)
  const batches = Array.from({ length: 6 }, () => buffer.takeBatch())
  expect(batches.map((batch) => batch && [batch.result.kind, batch.entries.size])).toEqual([
    ['changes', 50],
    ['changes', 1],
    ['nothing', 1],
    ['later', 1],
    ['changes', 1],
    undefined,
  ])
  expect(buffer.hasFullBatch).toBe(false)
})
