/** Follows, blocks and mutes between accounts, as the network's client library reads them. */
import { describe, expect, test } from 'vitest'
import type { NetworkAccount } from '../../../support/remote/network-accounts.ts'
import { network, setupNetwork } from '../../../support/server/setup.ts'

setupNetwork()

const didsOf = (actors: readonly { did: string }[]) => actors.map(({ did }) => did)
const followersOf = async (viewer: NetworkAccount, actor: NetworkAccount) =>
  didsOf((await viewer.getFollowers({ actor: actor.did })).data.followers)
const followsOf = async (viewer: NetworkAccount, actor: NetworkAccount) =>
  didsOf((await viewer.getFollows({ actor: actor.did })).data.follows)

describe('followers and follows', () => {
  test('are listed from the newest, page by page, each account once', async () => {
    const [alice, bob, carol, dave] = await network.join('alice', 'bob', 'carol', 'dave')
    for (const one of [bob, carol, dave, bob]) {
      await one.follow(alice.did)
      await alice.follow(one.did)
    }
    for (const list of [
      async (cursor?: string) => {
        const { data } = await alice.getFollowers({
          actor: alice.handle,
          limit: 2,
          ...(cursor && { cursor }),
        })
        return { ...data, dids: didsOf(data.followers) }
      },
      async (cursor?: string) => {
        const { data } = await alice.getFollows({ actor: alice.handle, limit: 2, ...(cursor && { cursor }) })
        return { ...data, dids: didsOf(data.follows) }
      },
    ]) {
      const first = await list()
      expect(first).toMatchObject({ subject: { did: alice.did }, dids: [dave.did, carol.did] })
      const second = await list(first.cursor)
      expect(second.dids).toEqual([bob.did])
      expect(second.cursor).toBeUndefined()
      expect((await list('')).dids).toEqual(first.dids)
      await expect(list('x')).rejects.toMatchObject({ status: 400, error: 'InvalidRequest' })
    }
  })

  test('show accounts of other servers with an invalid handle', async () => {
    const [alice] = await network.join('alice')
    await alice.follow('did:web:elsewhere.test')
    const { data } = await alice.getFollows({ actor: alice.did })
    expect(data.follows).toMatchObject([{ did: 'did:web:elsewhere.test', handle: 'handle.invalid' }])
    await expect(alice.getProfile({ actor: 'did:web:elsewhere.test' })).rejects.toMatchObject({ status: 400 })
  })

  test('leave out accounts that block the viewer or are blocked, and show muted ones', async () => {
    const [alice, bob, carol, dave] = await network.join('alice', 'bob', 'carol', 'dave')
    for (const one of [bob, carol]) await one.follow(dave.did)
    await network.block(bob, alice)
    await alice.mute(carol.did)
    expect(await followersOf(alice, dave)).toEqual([carol.did])
    expect(await followersOf(bob, dave)).toEqual([carol.did, bob.did])
    const { data } = await alice.getFollowers({ actor: dave.did })
    expect(data.followers[0]?.viewer).toMatchObject({ muted: true })
  })

  test('leave out follows between accounts of which one blocks the other', async () => {
    const [alice, bob, carol] = await network.join('alice', 'bob', 'carol')
    await bob.follow(alice.did)
    await network.block(alice, bob)
    expect(await followersOf(carol, alice)).toEqual([])
    expect(await followsOf(carol, bob)).toEqual([])
  })

  test('end with the deletion of the follow, under any name of the collection', async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    const { uri } = await alice.follow(bob.did)
    expect(await followersOf(alice, bob)).toEqual([alice.did])
    const input = {
      repo: alice.did,
      collection: 'app.example.graph.follow',
      rkey: uri.split('/').at(-1) ?? '',
    }
    await alice.com.atproto.repo.deleteRecord(input)
    expect(await followersOf(alice, bob)).toEqual([])
    const { viewer } = (await alice.getProfile({ actor: bob.did })).data
    expect(viewer).toEqual({ muted: false, blockedBy: false })
  })

  test('known followers are those that the viewer follows', async () => {
    const [alice, bob, carol, dave] = await network.join('alice', 'bob', 'carol', 'dave')
    for (const one of [carol, dave]) await one.follow(bob.did)
    await alice.follow(dave.did)
    const { data } = await alice.app.bsky.graph.getKnownFollowers({ actor: bob.did })
    expect(data).toMatchObject({ subject: { did: bob.did }, followers: [{ did: dave.did }] })
    expect(data.followers).toHaveLength(1)
  })

  test('of an unknown account fail with InvalidRequest', async () => {
    const [alice] = await network.join('alice')
    await expect(alice.getFollowers({ actor: 'unknown.test' })).rejects.toMatchObject({
      status: 400,
      error: 'InvalidRequest',
    })
  })
})

test('getRelationships states follows and blocks of any account, but no mutes', async () => {
  const [alice, bob, carol] = await network.join('alice', 'bob', 'carol')
  const follow = await alice.follow(bob.did)
  const back = await bob.follow(alice.did)
  const block = await network.block(carol, alice)
  await alice.mute(bob.did)
  const others = [bob.handle, carol.did, 'unknown.test']
  const { data } = await network.anonymous.app.bsky.graph.getRelationships({ actor: alice.did, others })
  const $type = 'app.bsky.graph.defs#relationship'
  expect(data).toEqual({
    actor: alice.did,
    relationships: [
      { $type, did: bob.did, following: follow.uri, followedBy: back.uri },
      { $type, did: carol.did, blockedBy: block.uri },
      { $type: 'app.bsky.graph.defs#notFoundActor', actor: 'unknown.test', notFound: true },
    ],
  })
})

test('getBlocks lists the accounts that the viewer blocks', async () => {
  const [alice, bob, carol] = await network.join('alice', 'bob', 'carol')
  const block = await network.block(alice, bob)
  await network.block(carol, alice)
  const { data } = await alice.app.bsky.graph.getBlocks()
  expect(data.blocks).toMatchObject([{ did: bob.did, viewer: { blocking: block.uri } }])
  expect(data.blocks).toHaveLength(1)
})

describe('mutes', () => {
  test('are listed from the newest, page by page, and visible to the account only', async () => {
    const [alice, bob, carol, dave] = await network.join('alice', 'bob', 'carol', 'dave')
    for (const one of [bob, carol, dave]) {
      network.tick()
      await alice.mute(one.handle)
    }
    const page = (cursor?: string) => alice.app.bsky.graph.getMutes({ limit: 2, ...(cursor && { cursor }) })
    const { data: first } = await page()
    expect(didsOf(first.mutes)).toEqual([dave.did, carol.did])
    const { data: second } = await page(first.cursor)
    expect(didsOf(second.mutes)).toEqual([bob.did])
    expect(second.cursor).toBeUndefined()
    expect((await bob.app.bsky.graph.getMutes()).data.mutes).toEqual([])
    expect((await bob.getProfile({ actor: alice.did })).data.viewer).toEqual({
      muted: false,
      blockedBy: false,
    })
    await expect(page('x')).rejects.toMatchObject({ status: 400 })
  })

  test('end with unmuteActor', async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    await alice.mute(bob.did)
    expect((await alice.getProfile({ actor: bob.did })).data.viewer?.muted).toBe(true)
    await alice.unmute(bob.did)
    expect((await alice.getProfile({ actor: bob.did })).data.viewer?.muted).toBe(false)
  })

  test('hide notifications until they end', async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    const shown = async () => (await alice.listNotifications()).data.notifications.length
    await bob.follow(alice.did)
    expect(await shown()).toBe(1)
    await alice.mute(bob.did)
    expect(await shown()).toBe(0)
    await alice.unmute(bob.did)
    expect(await shown()).toBe(1)
  })

  test('of the own account, of an unknown handle and of reposts only are refused', async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    const refused = { status: 400, error: 'InvalidRequest' }
    await expect(alice.mute(alice.did)).rejects.toMatchObject(refused)
    await expect(alice.mute('unknown.test')).rejects.toMatchObject(refused)
    const mute = alice.app.bsky.graph.muteActor({ actor: bob.did, onlyReposts: true })
    await expect(mute).rejects.toMatchObject(refused)
    expect((await alice.app.bsky.graph.getMutes()).data.mutes).toEqual([])
  })

  test('of a thread hide its notifications', async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    const root = await network.post(alice, 'A long thread')
    await network.reply(bob, 'First', root)
    const shown = async () => (await alice.listNotifications()).data.notifications.length
    expect(await shown()).toBe(1)
    await alice.app.bsky.graph.muteThread({ root: root.uri })
    await network.reply(bob, 'Second', root)
    expect(await shown()).toBe(0)
    await alice.app.bsky.graph.unmuteThread({ root: root.uri })
    expect(await shown()).toBe(2)
    const list = `at://${alice.did}/app.bsky.graph.list/x`
    await expect(alice.app.bsky.graph.muteThread({ root: list })).rejects.toMatchObject({ status: 400 })
  })
})
