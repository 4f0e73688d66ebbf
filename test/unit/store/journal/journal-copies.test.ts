import fc from 'fast-check'
import { expect, test } from 'vitest'
import { restore, shorten } from '../../../../server/store/journal/journal-copies.ts'

/** Bytes with repetitions at all distances, also of parts that overlap. */
const repetitive = fc.array(fc.tuple(fc.uint8Array({ maxLength: 60 }), fc.nat({ max: 5 }))).map((parts) => {
  let bytes = Buffer.from('a part that is longer than any copy has to be')
  for (const [part, distance] of parts) {
    bytes = Buffer.concat([bytes, part, bytes.subarray(bytes.length - 20 * distance), part])
  }
  return bytes.subarray(0, 100_000)
})

test('shortened bytes are restored', () => {
  fc.assert(
    fc.property(repetitive, (bytes) => {
      expect(restore(shorten(bytes)).equals(bytes)).toBe(true)
    }),
  )
})

test.each([0, 1, 15, 16, 17, 65_534, 65_535, 65_536, 200_000])('%i bytes are restored', (length) => {
  for (const bytes of [Buffer.alloc(length), Buffer.alloc(length, 'a text that repeats')]) {
    expect(restore(shorten(bytes)).equals(bytes)).toBe(true)
  }
})

test('a repeated part takes six bytes', () => {
  const part = Buffer.from(Array.from({ length: 100 }, (_, at) => at))
  const other = Buffer.from(Array.from({ length: 50 }, (_, at) => 200 - at))
  const bytes = Buffer.concat([part, other, part])
  expect(shorten(bytes).length).toBe(2 + 6 + 150)
})
