/** New posts beside the pages of a timeline that were read. */
import { expect, test } from 'vitest'
import {
  keyOfItem,
  type Page,
  type Pages,
  unknownItems,
  withNewest,
  withOwn,
  withoutDeleted,
} from '../../../renderer/api/feed-pages.ts'

/** An item by the record key of its post, as `1`, or `1 by carol` for a repost. */
function item(name: string): Page['feed'][number] {
  const [rkey, by] = name.split(' by ')
  const reason = by && { $type: 'app.example.feed.defs#reasonRepost', by: { did: by } }
  return { post: { uri: `at://bob/app.example.feed.post/${rkey}`, author: { did: 'bob' } }, reason } as never
}

const page = (...names: string[]): Page => ({ feed: names.map(item), cursor: 'next' })
const pages = (...all: Page[]): Pages => ({ pages: all, pageParams: all.map(() => undefined) })
const keysOf = (all: Pages) => all.pages.map(({ feed }) => feed.map(keyOfItem))

test('new posts become a page before those that were read', () => {
  const cached = pages(page('3', '2'), page('1'))
  const shown = withNewest(cached, page('5', '4', '3'))
  expect(keysOf(shown)).toEqual(keysOf(pages(page('5', '4'), page('3', '2'), page('1'))))
  expect(shown.pages[1]).toBe(cached.pages[0])
})

test('a gap between new posts and those that were read starts the feed again', () => {
  expect(keysOf(withNewest(pages(page('2', '1')), page('9', '8')))).toEqual(keysOf(pages(page('9', '8'))))
})

test('posts between known ones start the feed again, so that its order is right', () => {
  const newest = page('5', '4 by carol', '3')
  expect(keysOf(withNewest(pages(page('5', '3')), newest))).toEqual(keysOf(pages(newest)))
})

test('a repost of a known post is new', () => {
  expect(unknownItems(pages(page('2', '1')), page('1 by carol', '2')).map(keyOfItem)).toEqual(['bob/1 carol'])
})

test('an older post that moved up is no new one, unless the feed was read to its end', () => {
  const newest = page('3', '1')
  expect(unknownItems(pages(page('3', '2')), newest)).toEqual([])
  const complete = pages({ feed: page('3', '2').feed })
  expect(unknownItems(complete, newest).map(keyOfItem)).toEqual([keyOfItem(item('1'))])
})

test('posts that their account deleted elsewhere leave the pages, others stay', () => {
  const cached = pages(page('5', '4', '4 by carol', '3'), page('2'))
  const left = withoutDeleted(cached, page('5', '3'), 'bob')
  expect(keysOf(left)).toEqual(keysOf(pages(page('5', '4 by carol', '3'), page('2'))))
  expect(left.pages[1]).toBe(cached.pages[1])
  expect(withoutDeleted(cached, page('5', '3'), 'dan')).toBe(cached)
})

test('own posts are put before the pages while others wait', () => {
  const newest = page('5 by carol', '4', '3')
  const shown = withOwn(pages(page('3')), newest, 'bob')
  expect(keysOf(shown)).toEqual(keysOf(pages(page('4'), page('3'))))
  expect(withOwn(shown, newest, 'bob')).toBe(shown)
})
