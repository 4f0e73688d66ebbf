import { expect, test } from 'vitest'
import { bytesOf, findFeatures, graphemesOf } from '../../../renderer/api/facets.ts'

/** The features of a text as `range: feature`, with the range cut out of its bytes. */
function found(text: string): string[] {
  const bytes = Buffer.from(text)
  return findFeatures(text).map((feature) => {
    const { byteStart, byteEnd } = feature.index
    const target =
      feature.kind === 'link'
        ? feature.uri
        : feature.kind === 'tag'
          ? `#${feature.tag}`
          : `@${feature.handle}`
    return `${bytes.subarray(byteStart, byteEnd)}: ${target}`
  })
}

test('ranges are bytes of UTF-8, after emoji, combining marks and CJK', () => {
  const [feature] = findFeatures('👩‍👩‍👧 e\u0301 日本 @bob.test')
  expect(feature?.index).toEqual({ byteStart: 18 + 1 + 3 + 1 + 6 + 1, byteEnd: 30 + 9 })
  expect(found('👍🏽@bob.test 😀#日本語 ünï https://example.com/ä')).toEqual([
    '@bob.test: @bob.test',
    '#日本語: #日本語',
    'https://example.com/ä: https://example.com/%C3%A4',
  ])
})

test.each([
  ['at the start', '@bob.test hello', ['@bob.test: @bob.test']],
  ['before punctuation', 'Hi @bob.test, @carol.test. (@dan.test)', ['bob', 'carol', 'dan'].map(mention)],
  ['in another letter case', '@Bob.Test', ['@Bob.Test: @bob.test']],
  ['with a possessive', '@bob.test’s', [mention('bob')]],
  ['in Japanese, without spaces', 'こんにちは@bob.testさん', [mention('bob')]],
  ['no domain', '@bob @bob. @.test @-a.test @1.2', []],
  ['email addresses', 'bob@alice.test a.b@example.com andré@example.com x+y@example.com', []],
  ['addresses of other networks', '@bob@mastodon.social @bob.test@example.com', []],
  [
    'in a path',
    'https://example.com/@bob.test a/@bob.test',
    ['https://example.com/@bob.test: https://example.com/@bob.test'],
  ],
  ['with an underscore', '@bob.test_x', []],
])('mentions: %s', (_, text, expected) => expect(found(text)).toEqual(expected))

function mention(name: string): string {
  return `@${name}.test: @${name}.test`
}

test.each([
  [
    'with a scheme',
    'See https://example.com/a?b=c#d now',
    ['https://example.com/a?b=c#d: https://example.com/a?b=c#d'],
  ],
  [
    'before punctuation',
    'https://example.com/a. “http://example.com/b”, https://example.com/c!?',
    [
      'https://example.com/a: https://example.com/a',
      'http://example.com/b: http://example.com/b',
      'https://example.com/c: https://example.com/c',
    ],
  ],
  ['in parentheses', '(https://example.com/a)', ['https://example.com/a: https://example.com/a']],
  [
    'with parentheses',
    '(https://example.com/a_(b))',
    ['https://example.com/a_(b): https://example.com/a_(b)'],
  ],
  ['in Japanese', '「https://example.com/a」。', ['https://example.com/a: https://example.com/a']],
  ['on this computer', 'http://localhost:2583/x', ['http://localhost:2583/x: http://localhost:2583/x']],
  [
    'bare domains',
    'example.com, www.example.is and a.example.org/b.',
    [
      'example.com: https://example.com/',
      'www.example.is: https://www.example.is/',
      'a.example.org/b: https://a.example.org/b',
    ],
  ],
  ['bare domains with a port', 'example.com:8080/a', ['example.com:8080/a: https://example.com:8080/a']],
  ['words after a missing space', 'It is done.It works.so what, he said.in short', []],
  ['names of files', 'readme.md index.ts main.rs a.py run.sh archive.zip v1.2.3 12.30 e.g. i.e.', []],
  ['unknown domains', 'alice.test foo.bar-baz a..com -a.com', []],
  ['other schemes', 'javascript:alert(1) ftp://example.com data:text/html,x', []],
  ['without a host', 'https:// http://. https://[', []],
])('links: %s', (_, text, expected) => expect(found(text)).toEqual(expected))

test.each([
  ['before punctuation', '#one, #two. (#three) #four!', ['one', 'two', 'three', 'four'].map(tag)],
  [
    'letters, marks, digits, hyphens',
    '#e\u0301té #a_b #x-y #2024in #हिन्दी',
    ['e\u0301té', 'a_b', 'x-y', '2024in', 'हिन्दी'].map(tag),
  ],
  ['emoji', '#🥐 #👩‍👩‍👧', ['🥐', '👩‍👩‍👧'].map(tag)],
  ['at the end of a hyphen', '#one- two', [tag('one')]],
  ['full-width', '＃日本、', ['＃日本: #日本']],
  ['numbers and keycaps', '#1 #123 #️⃣ # #- #_', []],
  [
    'within words and addresses',
    'a#b c#d &#39; example.com/#top',
    ['example.com/#top: https://example.com/#top'],
  ],
  ['two at once', '#one#two', [tag('one')]],
  ['longer than 64 letters', `#${'a'.repeat(65)} #${'a'.repeat(64)}`, [tag('a'.repeat(64))]],
  ['longer than 640 bytes', `#${'👩‍👩‍👧‍👧'.repeat(26)}`, []],
])('tags: %s', (_, text, expected) => expect(found(text)).toEqual(expected))

function tag(name: string): string {
  return `#${name}: #${name}`
}

test('a range has one feature', () => {
  expect(found('https://example.com/#tag @bob.test#tag')).toEqual([
    'https://example.com/#tag: https://example.com/#tag',
    '@bob.test: @bob.test',
  ])
})

test('lengths: letters as people count them, and bytes', () => {
  expect([graphemesOf('👩‍👩‍👧e\u0301日'), bytesOf('👩‍👩‍👧e\u0301日')]).toEqual([3, 24])
  expect(findFeatures('')).toEqual([])
})
