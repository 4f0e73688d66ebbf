/** Responses of feeds are cached: they must show every change at once. */
import type { AppBskyFeedDefs } from '@atproto/api'
import { describe, expect, test } from 'vitest'
import type { NetworkAccount } from '../../../support/remote/network-accounts.ts'
import { adminAuth } from '../../../support/server/server.ts'
import { network, setupNetwork } from '../../../support/server/setup.ts'
import type { Ref } from '../../../support/server/social.ts'

setupNetwork()

interface Setting {
  readonly alice: NetworkAccount
  readonly bob: NetworkAccount
  /** A post by Bob, whom Alice follows. */
  readonly post: Ref
}

/** Changes, and what Alice's timeline and the thread show of them in Bob's post. */
const changes: Record<string, [change: (setting: Setting) => Promise<unknown>, shown: object]> = {
  'a like': [({ alice, post }) => alice.like(post.uri, post.cid), { likeCount: 1 }],
  'a like by another account': [({ bob, post }) => bob.like(post.uri, post.cid), { likeCount: 1 }],
  'a repost': [({ bob, post }) => network.repost(bob, post), { repostCount: 1 }],
  'a reply': [({ bob, post }) => network.reply(bob, 'Reply', post), { replyCount: 1 }],
  'a quote': [({ bob, post }) => network.quote(bob, 'Quote', post), { quoteCount: 1 }],
  'a display name': [
    ({ bob }) => bob.upsertProfile(() => ({ displayName: 'Bob' })),
    { author: { displayName: 'Bob' } },
  ],
  'a handle': [
    ({ bob: { did, handle } }) =>
      network.server.post('com.core.admin.updateAccountHandle', { did, handle: `new-${handle}` }, adminAuth),
    { author: { handle: expect.stringMatching(/^new-/) } },
  ],
  'a follow of the viewer': [
    ({ alice, bob }) => bob.follow(alice.did),
    { author: { viewer: { followedBy: expect.any(String) } } },
  ],
  'a bookmark': [
    ({ alice, post }) => alice.app.bsky.bookmark.createBookmark(post),
    { viewer: { bookmarked: true } },
  ],
  'a muted thread': [
    ({ alice, post }) => alice.app.bsky.graph.muteThread({ root: post.uri }),
    { viewer: { threadMuted: true } },
  ],
  'a thread gate': [
    ({ bob, post }) => network.gate(bob, 'threadgate', post, { allow: [] }),
    { viewer: { replyDisabled: true } },
  ],
  'a post gate': [
    ({ bob, post }) =>
      network.gate(bob, 'postgate', post, {
        embeddingRules: [{ $type: 'app.bsky.feed.postgate#disableRule' }],
      }),
    { viewer: { embeddingDisabled: true } },
  ],
  'a changed post': [
    ({ bob, post }) =>
      bob.com.atproto.repo.putRecord({
        repo: bob.did,
        collection: 'app.bsky.feed.post',
        rkey: post.uri.split('/').at(-1) ?? '',
        record: { text: 'Changed', createdAt: network.now },
      }),
    { record: { text: 'Changed' } },
  ],
}

describe('the timeline and the thread show at once', () => {
  test.each(Object.entries(changes))('%s', async (_, [change, shown]) => {
    const [alice, bob] = await network.join('alice', 'bob')
    await alice.follow(bob.did)
    const post = await network.post(bob, 'Hello')
    const views = async () => {
      const { data: timeline } = await alice.getTimeline()
      const { data: thread } = await alice.getPostThread({ uri: post.uri })
      const { post: anchor } = thread.thread as AppBskyFeedDefs.ThreadViewPost
      return [timeline.feed.find((item) => item.post.uri === post.uri)?.post, anchor]
    }
    for (const view of await views()) expect(view).not.toMatchObject(shown)
    await change({ alice, bob, post })
    expect(await views()).toMatchObject([shown, shown])
  })

  test.each<[string, (setting: Setting) => Promise<unknown>]>([
    ['a mute', ({ alice, bob }) => alice.mute(bob.did)],
    ['a muted list', async ({ alice, bob }) => alice.muteModList((await network.list(alice, bob)).uri)],
    ['a block', ({ alice, bob }) => network.block(alice, bob)],
    ['a deleted follow', ({ alice, bob }) => unfollow(alice, bob)],
    ['a deleted post', ({ bob, post }) => bob.deletePost(post.uri)],
    ['a takedown', ({ bob }) => network.server.setStatus(bob.did, { takedown: true })],
  ])('%s, which removes the post from the timeline', async (_, change) => {
    const [alice, bob] = await network.join('alice', 'bob')
    await alice.follow(bob.did)
    const post = await network.post(bob, 'Hello')
    expect((await alice.getTimeline()).data.feed).toHaveLength(1)
    await change({ alice, bob, post })
    expect((await alice.getTimeline()).data.feed).toEqual([])
  })
})

async function unfollow(alice: NetworkAccount, bob: NetworkAccount): Promise<void> {
  const { data } = await alice.getProfile({ actor: bob.did })
  await alice.deleteFollow(data.viewer?.following ?? '')
}
