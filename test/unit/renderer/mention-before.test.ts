import { expect, test } from 'vitest'
import { mentionBefore } from '../../../renderer/parts/composer/mention-before.ts'

/** Finds the mention at the caret, which is written as `|`. */
function at(text: string) {
  return mentionBefore(text.replace('|', ''), text.indexOf('|'))
}

test('the mention that ends at the caret, and the rest of its handle', () => {
  expect(at('@bo|')).toEqual({ start: 0, end: 3, query: 'bo' })
  expect(at('Hi (@bo|b.test) x')).toEqual({ start: 4, end: 13, query: 'bo' })
  expect(at('👋 @Jür|gen')).toMatchObject({ start: 3, query: 'Jür' })
  expect(at('こんにちは＠bo|')).toMatchObject({ start: 5, query: 'bo' })
})

test.each([
  '',
  '|',
  '@|',
  'bo|',
  '@ bo|',
  '@bo |',
  'a@bo|',
  'https://example.com/@bo|',
  '@@bo|',
  `@${'a'.repeat(64)}|`,
])('no mention: %s', (text) => expect(at(text)).toBeUndefined())
