/** New posts beside the pages of a timeline that were read. */
import { expect, test } from 'vitest'
import {
  keyOfItem,
  type Page,
  type Pages,
  unknownItems,
  withNewest,
} from '../../../renderer/api/feed-pages.ts'

/** An item by the record key of its post, as `1`, or `1 by carol` for a repost. */
function item(name: string): Page['feed'][number] {
  const [rkey, by] = name.split(' by ')
  const reason = by && { $type: 'app.example.feed.defs#reasonRepost', by: { did: by } }
  return { post: { uri: `at://bob/app.example.feed.post/${rkey}` }, reason } as never
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
  expect(unknownItems([page('2', '1').feed], page('1 by carol', '2')).map(keyOfItem)).toEqual(['bob/1 carol'])
})
