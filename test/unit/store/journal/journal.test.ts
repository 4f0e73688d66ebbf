import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { StoreTooNew } from '../../../../server/store/files/store-errors.ts'
import {
  decodeFrames,
  encodeFrame,
  encodeTitle,
  JournalDamage,
  readJournal,
  scanJournal,
} from '../../../../server/store/journal/journal.ts'
import { encodeStatement, type Statement } from '../../../../server/store/journal/journal-statements.ts'
import type { SqlParams, SqlValue } from '../../../../server/store/pages/sqlite.ts'

const value = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.maxSafeInteger(),
  fc.uint8Array(),
  fc.constant(null),
)
const transaction = fc.array(fc.tuple(fc.constantFrom('A', 'B', 'SELECT \u00e4'), fc.array(value)))

type Transactions = readonly (readonly Statement[])[]

function journalOf(...frames: Transactions[]): Buffer {
  const texts = new Map<string, number>()
  let seq = 1
  let journal = encodeTitle(seq)
  for (const transactions of frames) {
    const { bytes, added } = encodeFrame(seq, encoded(transactions), journal.length, texts)
    for (const text of added) texts.set(text, texts.size + 1)
    journal = Buffer.concat([journal, bytes])
    seq += transactions.length
  }
  return journal
}

function encoded(transactions: Transactions) {
  return transactions.map((statements) => statements.map(([sql, params]) => encodeStatement(sql, params)))
}

function decoded(journal: Buffer): Transactions {
  return [...decodeFrames(readJournal(journal, 1, true))].map(({ statements }) => statements)
}

/** Bytes that repeat nothing. */
function noise(length: number): Uint8Array {
  let state = 1
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state >>> 24
  })
}

/** A journal whose frames span sectors and end within one. */
const sample = journalOf(
  [[['INSERT INTO t VALUES (?)', [new Uint8Array(400)]]]],
  [[['UPDATE t SET x = ?', ['a']]], [['DELETE FROM t', []]]],
  [[['INSERT INTO t VALUES (?, ?, ?)', ['\0'.repeat(100), new Uint8Array(1200), noise(1500)]]]],
)
const whole = readJournal(sample, 1, true)
const lastFrame = sample.lastIndexOf('frame ')

test('decoded transactions equal the encoded ones', () => {
  fc.assert(
    fc.property(fc.array(fc.array(transaction, { minLength: 1 })), (frames) => {
      const plain = frames.flat().map((statements) => statements.map(plainOf))
      expect(decoded(journalOf(...frames)).map((statements) => statements.map(plainOf))).toEqual(plain)
    }),
  )
})

function plainOf([sql, params]: Statement): [string, (SqlValue | number[])[]] {
  return [sql, params.map((value) => (value instanceof Uint8Array ? [...value] : value))]
}

test.each([-0, 2 ** 31, -(2 ** 31) - 1, Number.MAX_SAFE_INTEGER, 0.1, 5e-324, Number.MAX_VALUE])(
  'the number %d is kept',
  (number) => {
    expect(decoded(journalOf([[['A', [number]]]]))).toEqual([[['A', [number]]]])
  },
)

test('a lone surrogate becomes the replacement character, as in SQLite', () => {
  expect(decoded(journalOf([[['A', ['x\ud800y']]]]))).toEqual([[['A', ['x\ufffdy']]]])
})

test('the text of a statement is written once per journal', () => {
  const journal = journalOf([[['SELECT 1', []]], [['SELECT 1', []]]], [[['SELECT 1', []]]])
  expect(journal.indexOf('SELECT 1')).toBe(journal.lastIndexOf('SELECT 1'))
  expect(decoded(journal)).toHaveLength(3)
})

test('a frame that names an unknown text cannot be decoded', () => {
  const texts = new Map([['A', 1]])
  const { bytes } = encodeFrame(1, encoded([[['A', []]], [['B', []]]]), 64, texts)
  expect(() => decoded(Buffer.concat([encodeTitle(1), bytes]))).toThrow('no statement has the number 1')
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
    if (sample[at] === 0) continue
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

/** Returns the sectors after `from` that have a byte other than zero. */
function filledSectors(bytes: Buffer, from: number): number[] {
  const sectors = []
  for (let at = Math.ceil(from / 512) * 512; at < bytes.length; at += 512) {
    if (bytes.subarray(at, at + 512).some((byte) => byte !== 0)) sectors.push(at)
  }
  return sectors
}

test('sectors of the last frame that were never written make it torn', () => {
  const sectors = filledSectors(sample, lastFrame)
  expect(sectors.length).toBeGreaterThan(2)
  const torn = { frames: whole.frames.slice(0, 2), length: lastFrame }
  for (const sector of sectors) {
    const bytes = Buffer.from(sample).fill(0, sector, Math.min(sector + 512, sample.length))
    expect(readJournal(bytes, 1, true)).toEqual(torn)
  }
  expect(readJournal(Buffer.from(sample).fill(0, lastFrame), 1, true)).toEqual(torn)
})

test('zeros that belong to the last frame do not make a changed byte a torn tail', () => {
  const zeros = sample.length / 512 - lastFrame / 512 - filledSectors(sample, lastFrame).length
  expect(zeros).toBeGreaterThan(1)
  const bytes = Buffer.from(sample)
  const at = sample.length - 100
  bytes[at] = (bytes[at] ?? 0) ^ 1
  expect(() => readJournal(bytes, 1, true)).toThrow(JournalDamage)
})

test('a zeroed sector before the last frame is damage: later frames were written after it', () => {
  const item = [['INSERT INTO t VALUES (?)', [noise(500)]]] satisfies [string, SqlParams][]
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
  const misplaced = Buffer.concat([encodeTitle(1), encodeFrame(2, [[]], 64, new Map()).bytes])
  expect(() => readJournal(misplaced, 1, true)).toThrow('skips from transaction 0 to 2')
  expect(() => readJournal(sample, 2, true)).toThrow('the name of another journal')
})

test('a journal of a later format is refused', () => {
  const title = 'pds journal 3 1'.padEnd(55)
  const later = Buffer.from(`${title}${crc32(title).toString(16).padStart(8, '0')}\n`)
  expect(() => readJournal(later, 1, true)).toThrow(StoreTooNew)
})

test('a statement is encoded at once: later changes of its parameters have no effect', () => {
  const bytes = Uint8Array.of(1)
  const params = ['a', bytes]
  const statement = encodeStatement('X', params)
  params[0] = 'b'
  bytes[0] = 2
  const frame = encodeFrame(1, [[statement]], 64, new Map())
  expect(decoded(Buffer.concat([encodeTitle(1), frame.bytes]))).toEqual([[['X', ['a', Buffer.of(1)]]]])
})

test('a scan finds the frames after damage', () => {
  const bytes = Buffer.from(sample)
  bytes[100] = (bytes[100] ?? 0) ^ 1
  expect(scanJournal(bytes, 1)).toEqual({
    frames: [],
    lastSeq: 4,
    isWhole: false,
    isCounted: true,
  })
  expect(scanJournal(sample, 1)).toMatchObject({ frames: whole.frames, lastSeq: 4, isWhole: true })
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
    expect(readJournal(torn, 1, true)).toEqual({
      frames: whole.frames.slice(0, 2),
      length: lastFrame,
    })
    torn.write('x', reserved.length - 1)
    expect(() => readJournal(torn, 1, true)).toThrow(JournalDamage)
  })

  test('are damage in a sealed journal, which is cut to its frames', () => {
    expect(() => readJournal(reserved, 1, false)).toThrow(JournalDamage)
  })
})
