/** Views in the cache, changed by actions. */
import { QueryClient } from '@tanstack/query-core'
import { expect, test } from 'vitest'
import type { app } from '../../../lexicons/generated/index.ts'
import { changePerson, changePost } from '../../../renderer/api/cached-views.ts'

type PostView = app.example.feed.defs.PostView

const did = 'did:plc:reader'
const bob = { did: 'did:plc:bob', handle: 'bob.test', viewer: { following: 'at://follow' } }

function post(rkey: string): PostView {
  const record = { text: 'A text', author: bob, uri: 'at://did:plc:bob/app.example.feed.post/1' }
  const view = { uri: `at://${bob.did}/app.example.feed.post/${rkey}`, cid: 'bafy', author: bob, record }
  return { ...view, indexedAt: '2030-01-01T00:00:00.000Z' } as unknown as PostView
}

function cache() {
  const client = new QueryClient()
  client.setQueryData([did, 'feed'], {
    pages: [{ feed: [{ post: post('1') }] }, { feed: [{ post: post('2') }] }],
  })
  client.setQueryData([did, 'thread'], { thread: { post: post('2'), replies: [{ post: post('1') }] } })
  client.setQueryData(['did:plc:other', 'feed'], { post: post('1') })
  // biome-ignore lint/suspicious/noExplicitAny: data of every type
  const read = (name: string, of = did) => client.getQueryData<any>([of, name])
  return { client, read }
}

test('a post is changed wherever the account has it, also under another name of its collection', () => {
  const { client, read } = cache()
  const before = read('feed')
  changePost(client, did, 'at://did:plc:bob/org.example.post/1', (view) => ({ ...view, likeCount: 3 }))
  expect(read('feed').pages[0].feed[0].post.likeCount).toBe(3)
  expect(read('thread').thread.replies[0].post.likeCount).toBe(3)
  expect(read('thread').thread.post.likeCount).toBeUndefined()
  expect(read('feed', 'did:plc:other').post.likeCount).toBeUndefined()
  // Pages without the post keep their identity, so that they are not rendered again.
  expect(read('feed').pages[1]).toBe(before.pages[1])
  expect(read('feed').pages[0].feed[0].post.record).toBe(before.pages[0].feed[0].post.record)
})

test('responses to another account stay as they are, also those about this one', () => {
  const { client, read } = cache()
  client.setQueryData(['did:plc:other', 'profile', did], bob)
  changePerson(client, did, bob.did, { muted: true })
  expect(client.getQueryData(['did:plc:other', 'profile', did])).toBe(bob)
  expect(read('feed', 'did:plc:other').post.author).toBe(bob)
})

test('a person is changed with all posts, and keeps other relations', () => {
  const { client, read } = cache()
  changePerson(client, did, bob.did, { muted: true })
  const viewer = { following: 'at://follow', muted: true }
  expect(read('feed').pages[1].feed[0].post.author.viewer).toEqual(viewer)
  expect(read('thread').thread.post.author.viewer).toEqual(viewer)
  expect(read('thread').thread.post.record.author.viewer).toEqual(bob.viewer)
})
