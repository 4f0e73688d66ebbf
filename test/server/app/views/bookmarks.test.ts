/** Bookmarks: the posts that an account saved. */
import { expect, test } from 'vitest'
import { network, setupNetwork } from '../../../support/server/setup.ts'
import { someCid } from '../../../support/server/social.ts'

setupNetwork()

test('are listed from the newest, page by page, each post once, to the account only', async () => {
  const [alice, bob] = await network.join('alice', 'bob')
  const { bookmark } = alice.app.bsky
  const posts = [
    await network.post(bob, 'one'),
    await network.post(bob, 'two'),
    await network.post(bob, 'three'),
  ]
  for (const post of posts) await bookmark.createBookmark(post)
  for (const post of posts) await bookmark.createBookmark(post)
  const [one, two, three] = posts
  const { data: first } = await bookmark.getBookmarks({ limit: 2 })
  expect(first.bookmarks).toMatchObject([
    {
      subject: three,
      createdAt: expect.any(String),
      item: { uri: three?.uri, viewer: { bookmarked: true } },
    },
    { subject: two, item: { $type: 'app.bsky.feed.defs#postView', record: { text: 'two' } } },
  ])
  const { data: second } = await bookmark.getBookmarks({ limit: 2, cursor: first.cursor ?? '' })
  expect(second.bookmarks).toMatchObject([{ subject: one }])
  expect(second.cursor).toBeUndefined()
  expect((await bob.app.bsky.bookmark.getBookmarks()).data.bookmarks).toEqual([])
  const [seen] = (await bob.getPosts({ uris: [one?.uri ?? ''] })).data.posts
  expect(seen?.viewer).toMatchObject({ bookmarked: false })
})

test('are deleted under any name of the collection, and with a handle in the URI', async () => {
  const [alice, bob] = await network.join('alice', 'bob')
  const { bookmark } = alice.app.bsky
  const post = await network.post(bob, 'Saved')
  const other = post.uri.replace('app.bsky', 'app.example').replace(bob.did, bob.handle)
  await bookmark.createBookmark({ uri: other, cid: post.cid })
  expect((await bookmark.getBookmarks()).data.bookmarks).toMatchObject([{ item: { uri: post.uri } }])
  await bookmark.deleteBookmark({ uri: post.uri })
  expect((await bookmark.getBookmarks()).data.bookmarks).toEqual([])
  await bookmark.deleteBookmark({ uri: post.uri })
})

test('of posts that are deleted, elsewhere or blocked remain without content', async () => {
  const [alice, bob, carol] = await network.join('alice', 'bob', 'carol')
  const { bookmark } = alice.app.bsky
  const [deleted, blocked] = [await network.post(bob, 'Deleted'), await network.post(carol, 'Blocked')]
  const elsewhere = { uri: 'at://did:web:elsewhere.test/app.bsky.feed.post/3jzfcijpj2z2a', cid: someCid }
  for (const post of [deleted, blocked, elsewhere]) await bookmark.createBookmark(post)
  await bob.deletePost(deleted.uri)
  await network.block(carol, alice)
  const { data } = await bookmark.getBookmarks()
  const notFound = { $type: 'app.bsky.feed.defs#notFoundPost', notFound: true }
  expect(data.bookmarks.map(({ item }) => item)).toMatchObject([
    { ...notFound, uri: elsewhere.uri },
    { $type: 'app.bsky.feed.defs#blockedPost', uri: blocked.uri, author: { did: carol.did } },
    { ...notFound, uri: deleted.uri },
  ])
})

test('of other records are refused', async () => {
  const [alice] = await network.join('alice')
  const list = await network.list(alice)
  const refused = { status: 400, error: 'UnsupportedCollection' }
  await expect(alice.app.bsky.bookmark.createBookmark(list)).rejects.toMatchObject(refused)
  await expect(alice.app.bsky.bookmark.deleteBookmark(list)).rejects.toMatchObject(refused)
})

test('are deleted with the account', async () => {
  const [alice, bob] = await network.join('alice', 'bob')
  const { store } = network.server.running.services
  const count = () => store.get<{ n: number }>('SELECT count(*) AS n FROM bookmarks')?.n
  const before = count()
  await bob.app.bsky.bookmark.createBookmark(await network.post(alice, 'Saved'))
  expect(count()).toBe((before ?? 0) + 1)
  await bob.com.atproto.server.requestAccountDelete()
  const token = await network.server.codeTo(`${bob.handle}@mail.test`)
  await bob.com.atproto.server.deleteAccount({ did: bob.did, password: 'bob-password', token })
  expect(count()).toBe(before)
})
