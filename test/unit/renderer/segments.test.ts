/** Links of posts by others: what their text says of where they lead. */
import { expect, test } from 'vitest'
import { segmentsOf, unshownHost, withoutDirections } from '../../../renderer/parts/posts/segments.ts'

test.each([
  ['https://example.com/a', 'https://example.com/a'],
  ['example.com', 'https://example.com/'],
  ['www.example.com/a?b', 'https://example.com/a?b'],
  ['Example.COM/lon…', 'https://www.example.com/long'],
  ['example.com:8080/a', 'http://example.com:8080/a'],
])('a link whose text begins with its host shows it: %s', (text, url) => {
  expect(unshownHost(text, url)).toBeUndefined()
})

test.each([
  ['https://bank.example/login', 'https://evil.example/'],
  ['https://bank.example@evil.example/', 'https://bank.example@evil.example/'],
  ['evil.example https://bank.example/login', 'https://evil.example/'],
  ['evil.example, formerly bank.example', 'https://evil.example/'],
  ['bank.example', 'https://bank.example.evil.example/'],
  ['bank.example', 'https://bank.example:8443/'],
  ['bаnk.example', 'https://bаnk.example/'],
  ['bank.example\u200b', 'https://bank.example/'],
  ['here', 'https://evil.example/'],
  ['', 'https://evil.example/'],
])('a link with another text has its host beside it: %s', (text, url) => {
  expect(unshownHost(text, url)).toBe(new URL(url).host)
})

test('marks of direction are removed from the text of a link', () => {
  expect(withoutDirections('\u202Eelpmaxe.knab//:sptth\u202C\u2066\u2069\u200F')).toBe('elpmaxe.knab//:sptth')
})

test('no scheme but http and https leads anywhere', () => {
  for (const uri of [
    'javascript:alert(1)',
    'data:text/html,x',
    'app://pds',
    'file:///etc/passwd',
    '//x',
    7,
  ]) {
    const features = [{ $type: 'app.example.richtext.facet#link', uri }]
    const segments = segmentsOf({ text: 'a', facets: [{ index: { byteStart: 0, byteEnd: 1 }, features }] })
    expect(segments).toEqual([{ text: 'a', start: 0, kind: 'text' }])
  }
})
