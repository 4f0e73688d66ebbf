/** Notifications that blocks and mutes hide: not listed, not counted, and shown again afterwards. */
import { describe, expect, test } from 'vitest'
import { type Account, adminAuth } from '../../../support/server/server.ts'
import { alice, bob, carol, server, setupAccounts, social } from '../../../support/server/setup.ts'
import { body, createdAt, feed, graph, mentions, type Ref } from '../../../support/server/social.ts'

setupAccounts()

const callGraph = async (name: string, input: unknown) =>
  body(await server.post(`${graph}.${name}`, input, alice))

const block = (author: Account, subject: Account) =>
  social.write(author, `${graph}.block`, { subject: subject.did, createdAt })
const list = (author: Account) =>
  social.write(author, `${graph}.list`, { name: 'Noise', purpose: `${graph}.defs#modlist`, createdAt })
const addItem = (author: Account, { uri }: Ref, subject: Account) =>
  social.write(author, `${graph}.listitem`, { list: uri, subject: subject.did, createdAt })
const blockList = (author: Account, { uri }: Ref) =>
  social.write(author, `${graph}.listblock`, { subject: uri, createdAt })

/** Expects the list and the count of alice. */
async function expectShown(...listed: string[]): Promise<void> {
  expect(await social.listed(alice)).toEqual(listed)
  expect(await social.unread(alice)).toBe(listed.length)
}

describe('a block', () => {
  test.each(['by the recipient', 'by the author'])(
    '%s hides notifications in both directions',
    async (by) => {
      await social.follow(bob, alice)
      const blocking = await (by === 'by the author' ? block(bob, alice) : block(alice, bob))
      await expectShown()
      await social.like(bob, await social.post(alice))
      await social.like(alice, await social.post(bob))
      await social.follow(carol, alice)
      await expectShown('follow by carol')
      expect(await social.listed(bob)).toEqual([])
      await social.remove(by === 'by the author' ? bob : alice, blocking)
      await expectShown('follow by carol', 'like by bob', 'follow by bob')
      expect(await social.listed(bob)).toEqual(['like by alice'])
    },
  )

  test('of another account ends for the first when the record changes its subject', async () => {
    await social.follow(bob, alice)
    await social.follow(carol, alice)
    const { uri } = await block(alice, bob)
    await social.put(alice, `${graph}.block`, uri.split('/').at(-1) ?? '', { subject: carol.did, createdAt })
    await expectShown('follow by bob')
  })

  test('stays while another record blocks the same account', async () => {
    await social.follow(bob, alice)
    const first = await block(alice, bob)
    const second = await block(alice, bob)
    await social.remove(alice, first)
    await expectShown()
    await social.remove(alice, second)
    await expectShown('follow by bob')
  })

  test('is found when it was written under the name of the network', async () => {
    await social.follow(bob, alice)
    await social.write(alice, 'app.bsky.graph.block', { subject: bob.did, createdAt })
    await expectShown()
  })
})

describe('a blocked list', () => {
  test('hides the notifications of its members, whichever of its records is written last', async () => {
    await social.follow(bob, alice)
    const spam = await list(carol)
    const item = await addItem(carol, spam, bob)
    const blocking = await blockList(alice, spam)
    await expectShown()
    await social.remove(carol, item)
    await expectShown('follow by bob')
    await addItem(carol, spam, bob)
    await expectShown()
    await social.remove(alice, blocking)
    await expectShown('follow by bob')
  })

  test('ends when the list is deleted, and when its owner is', async () => {
    await social.follow(bob, alice)
    const spam = await list(carol)
    await addItem(carol, spam, bob)
    await blockList(alice, spam)
    await expectShown()
    await social.remove(carol, spam)
    await expectShown('follow by bob')
    const other = await list(carol)
    await addItem(carol, other, bob)
    await blockList(alice, other)
    await expectShown()
    body(await server.post('com.core.admin.deleteAccount', { did: carol.did }, adminAuth))
    await expectShown('follow by bob')
  })

  test('is the same under both names of its collection', async () => {
    await social.follow(bob, alice)
    const spam = await list(carol)
    await addItem(carol, { ...spam, uri: spam.uri.replace('app.example', 'app.bsky') }, bob)
    await blockList(alice, spam)
    await expectShown()
  })

  test('ignores items that other accounts wrote', async () => {
    await social.follow(bob, alice)
    const spam = await list(carol)
    await blockList(alice, spam)
    await addItem(bob, spam, bob)
    await expectShown('follow by bob')
  })
})

describe('a mute', () => {
  test('hides the notifications of the account, not those of the muted one', async () => {
    await social.follow(bob, alice)
    await callGraph('muteActor', { actor: bob.did })
    await social.like(bob, await social.post(alice))
    await expectShown()
    await social.follow(alice, bob)
    expect(await social.listed(bob)).toEqual(['follow by alice'])
    await callGraph('unmuteActor', { actor: bob.did })
    await expectShown('like by bob', 'follow by bob')
  })

  test('of a list hides the notifications of its members', async () => {
    await social.follow(bob, alice)
    const noise = await list(carol)
    const item = await addItem(carol, noise, bob)
    await callGraph('muteActorList', { list: noise.uri })
    await expectShown()
    await social.remove(carol, item)
    await expectShown('follow by bob')
    await addItem(carol, noise, bob)
    await expectShown()
    await callGraph('unmuteActorList', { list: noise.uri })
    await expectShown('follow by bob')
  })

  test('of an inactive author hides its notifications until both end', async () => {
    await social.follow(bob, alice)
    await callGraph('muteActor', { actor: bob.did })
    await server.post('com.core.server.deactivateAccount', {}, bob)
    await callGraph('unmuteActor', { actor: bob.did })
    await expectShown()
    body(await server.post('com.core.server.activateAccount', undefined, bob))
    await expectShown('follow by bob')
  })
})

describe('a muted thread', () => {
  const mute = (root: Ref) => callGraph('muteThread', { root: root.uri })
  const unmute = (root: Ref) => callGraph('unmuteThread', { root: root.uri })

  test('hides replies to its posts, mentions in it, likes and quotes of its posts, earlier and later ones', async () => {
    const root = await social.post(carol)
    const inThread = async () => {
      const own = await social.reply(alice, root)
      await social.reply(bob, own, root)
      await social.like(bob, own)
      await social.quote(bob, own)
      await social.reply(bob, root, root, mentions(alice))
    }
    await inThread()
    await social.follow(bob, alice)
    const shown = ['mention by bob', 'quote by bob', 'like by bob', 'reply by bob']
    await expectShown('follow by bob', ...shown)
    await mute(root)
    await expectShown('follow by bob')
    await inThread()
    await expectShown('follow by bob')
    await unmute(root)
    await expectShown(...shown, 'follow by bob', ...shown)
  })

  test('of the own post hides what concerns the post', async () => {
    const root = await social.post(alice)
    const reply = await social.reply(bob, root)
    await social.reply(bob, reply, root)
    await social.repost(bob, root)
    await mute(root)
    await expectShown()
    await social.like(bob, root)
    await social.like(bob, await social.post(alice))
    await expectShown('like by bob')
    await unmute(root)
    await expectShown('like by bob', 'like by bob', 'repost by bob', 'reply by bob', 'reply by bob')
  })

  test('is the same under both names of the collection', async () => {
    const root = await social.post(alice)
    await mute(root)
    await social.like(bob, { ...root, uri: root.uri.replace(feed, 'app.bsky.feed') })
    await expectShown()
  })
})
