import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  decodeFrame,
  encodeFrame,
  encodeStatement,
  encodeTitle,
  JournalDamage,
  readJournal,
} from '../../../../server/platform/store/journal.ts'
import type { SqlParams, SqlValue } from '../../../../server/platform/store/sqlite.ts'

const value = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
  fc.maxSafeInteger(),
  fc.uint8Array(),
  fc.constant(null),
)
const transaction = fc.array(fc.tuple(fc.string(), fc.array(value)))

function journalOf(...frames: [sql: string, params: SqlParams][][][]): Buffer {
  let seq = 1
  const parts = [encodeTitle(seq)]
  for (const transactions of frames) {
    parts.push(encodeFrame(seq, transactions.map(encodeTransaction)))
    seq += transactions.length
  }
  return Buffer.concat(parts)
}

function encodeTransaction(statements: readonly (readonly [string, SqlParams])[]): string {
  return `[${statements.map((statement) => encodeStatement(...statement)).join(',')}]`
}

/** A journal whose frames span sectors and end within one. */
const sample = journalOf(
  [[['INSERT INTO t VALUES (?)', [new Uint8Array(400)]]]],
  [[['UPDATE t SET x = ?', ['a']]], [['DELETE FROM t', []]]],
  [[['INSERT INTO t VALUES (?, ?)', ['\0'.repeat(100), new Uint8Array(1200)]]]],
)
const whole = readJournal(sample, 1, true)
const lastFrame = sample.lastIndexOf('frame ')

test('a decoded frame equals the encoded transactions', () => {
  fc.assert(
    fc.property(fc.array(transaction, { minLength: 1 }), (transactions) => {
      const bytes = Buffer.concat([encodeTitle(1), encodeFrame(1, transactions.map(encodeTransaction))])
      const { frames, length } = readJournal(bytes, 1, true)
      expect(length).toBe(bytes.length)
      const [frame] = frames
      if (frame === undefined) throw new Error('no frame')
      expect(decodeFrame(frame).map((statements) => statements.map(plain))).toEqual(
        transactions.map((statements) => statements.map(plain)),
      )
    }),
  )
})

test('a frame in a buffer that held another one is the same as in a new buffer', () => {
  const reused = Buffer.alloc(2000, 'x')
  fc.assert(
    fc.property(fc.array(transaction, { minLength: 1 }), (transactions) => {
      const encoded = transactions.map(encodeTransaction)
      expect(encodeFrame(7, encoded, reused)).toEqual(encodeFrame(7, encoded))
    }),
  )
  expect(encodeFrame(1, ['[]'], reused).buffer).toBe(reused.buffer)
  expect(encodeFrame(1, [' '.repeat(2000)], reused).buffer).not.toBe(reused.buffer)
})

function plain([sql, params]: readonly [string, SqlParams]): [string, (SqlValue | number[])[]] {
  return [sql, params.map((value) => (value instanceof Uint8Array ? [...value] : value))]
}

test('a frame contains no zero byte, whatever its values', () => {
  expect(sample.includes(0)).toBe(false)
})

test.each([0x01, 0x20, 0xff])('a byte changed by %i anywhere is damage, also at the end', (mask) => {
  for (let at = 0; at < sample.length; at++) {
    const bytes = Buffer.from(sample)
    bytes[at] = (bytes[at] ?? 0) ^ mask
    expect(() => readJournal(bytes, 1, true), `byte ${at}`).toThrow(JournalDamage)
  }
})

test('a zeroed byte is damage: sectors are larger', () => {
  for (let at = 0; at < sample.length; at++) {
    const bytes = Buffer.from(sample).fill(0, at, at + 1)
    expect(() => readJournal(bytes, 1, true), `byte ${at}`).toThrow(JournalDamage)
  }
})

test('a journal that ends early has a torn tail, and every frame before it', () => {
  for (let length = 0; length < sample.length; length++) {
    const { frames } = readJournal(sample.subarray(0, length), 1, true)
    expect(frames, `${length} bytes`).toEqual(whole.frames.slice(0, frames.length))
    if (length >= lastFrame) expect(frames).toHaveLength(2)
  }
})

test('sectors of the last frame that were never written make it torn', () => {
  for (let sector = Math.ceil(lastFrame / 512) * 512; sector < sample.length; sector += 512) {
    const bytes = Buffer.from(sample).fill(0, sector, Math.min(sector + 512, sample.length))
    expect(readJournal(bytes, 1, true)).toEqual({ frames: whole.frames.slice(0, 2), length: lastFrame })
  }
  const lost = Buffer.from(sample).fill(0, lastFrame)
  expect(readJournal(lost, 1, true)).toEqual({ frames: whole.frames.slice(0, 2), length: lastFrame })
})

test('a zeroed sector before the last frame is damage: later frames were written after it', () => {
  const item = [['INSERT INTO t VALUES (?)', ['x'.repeat(500)]]] satisfies [string, SqlParams][]
  const journal = journalOf([item], [item], [item], [item])
  const last = journal.lastIndexOf('frame ')
  for (let sector = 0; sector + 512 <= last; sector += 512) {
    const bytes = Buffer.from(journal).fill(0, sector, sector + 512)
    expect(() => readJournal(bytes, 1, true), `sector at ${sector}`).toThrow(JournalDamage)
  }
})

test('a sealed journal that is incomplete is damaged', () => {
  expect(readJournal(sample, 1, false)).toEqual(whole)
  for (const length of [0, 10, lastFrame + 10, sample.length - 1]) {
    expect(() => readJournal(sample.subarray(0, length), 1, false), `${length} bytes`).toThrow(JournalDamage)
  }
})

test('a frame out of order and a journal under another name are damage', () => {
  const misplaced = Buffer.concat([encodeTitle(1), encodeFrame(2, ['[]'])])
  expect(() => readJournal(misplaced, 1, true)).toThrow('skips from transaction 0 to 2')
  expect(() => readJournal(sample, 2, true)).toThrow('the name of another journal')
})

test('a statement is encoded at once: later changes of its parameters have no effect', () => {
  const bytes = Uint8Array.of(1)
  const params = ['a', bytes]
  const encoded = encodeStatement('X', params)
  params[0] = 'b'
  bytes[0] = 2
  expect(JSON.parse(encoded)).toEqual(['X', ['a', { base64: 'AQ==' }]])
})

describe('zeros after the last frame, which a journal reserves for later frames', () => {
  const reserved = Buffer.concat([sample, Buffer.alloc(4096 + 40)])

  test('are passed over', () => {
    expect(readJournal(reserved, 1, true)).toEqual(whole)
  })

  test('do not make a changed byte of the last frame a torn tail', () => {
    for (let at = lastFrame; at < sample.length; at++) {
      const bytes = Buffer.from(reserved)
      bytes[at] = (bytes[at] ?? 0) ^ 0x01
      expect(() => readJournal(bytes, 1, true), `byte ${at}`).toThrow(JournalDamage)
    }
  })

  test('hide no frame whose start is zeroed', () => {
    for (let at = 512; at + 512 <= lastFrame; at += 512) {
      const bytes = Buffer.from(reserved).fill(0, at, at + 512)
      expect(() => readJournal(bytes, 1, true), `sector at ${at}`).toThrow(JournalDamage)
    }
  })

  test('may follow a torn frame, and hold no part of another', () => {
    const torn = Buffer.from(reserved).fill(0, Math.ceil(lastFrame / 512) * 512)
    expect(readJournal(torn, 1, true)).toEqual({ frames: whole.frames.slice(0, 2), length: lastFrame })
    torn.write('x', reserved.length - 1)
    expect(() => readJournal(torn, 1, true)).toThrow(JournalDamage)
  })

  test('are damage in a sealed journal, which is cut to its frames', () => {
    expect(() => readJournal(reserved, 1, false)).toThrow(JournalDamage)
  })
})
