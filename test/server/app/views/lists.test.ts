/** Lists and starter packs, as the network's client library reads them. */
import { describe, expect, test } from 'vitest'
import type { NetworkAccount } from '../../../support/remote/network-accounts.ts'
import { network, setupNetwork } from '../../../support/server/setup.ts'
import type { Ref } from '../../../support/server/social.ts'

setupNetwork()

const rkeyOf = ({ uri }: Ref) => uri.split('/').at(-1) ?? ''
const urisOf = (lists: readonly { uri: string }[]) => lists.map(({ uri }) => uri)

/** Reads a page of one item and the page after it, which is the last. */
async function twoPages<Page extends { cursor?: string }>(
  read: (page: { limit: number; cursor?: string }) => Promise<{ data: Page }>,
): Promise<[Page, Page]> {
  const { data: first } = await read({ limit: 1 })
  const { data: second } = await read({ limit: 1, cursor: first.cursor ?? '' })
  expect(second.cursor).toBeUndefined()
  return [first, second]
}

describe('a list', () => {
  test('has its members from the newest, page by page, each once', async () => {
    const [alice, bob, carol, dave] = await network.join('alice', 'bob', 'carol', 'dave')
    const list = await network.list(alice, bob, carol, dave, bob)
    const page = (cursor?: string) =>
      bob.app.bsky.graph.getList({ list: list.uri, limit: 2, ...(cursor && { cursor }) })
    const { data: first } = await page()
    expect(first.list).toMatchObject({
      ...{ uri: list.uri, cid: list.cid, name: 'Friends', purpose: 'app.bsky.graph.defs#curatelist' },
      ...{ creator: { did: alice.did }, listItemCount: 3, viewer: { muted: false } },
    })
    expect(first.items.map(({ subject }) => subject.did)).toEqual([dave.did, carol.did])
    const { data: second } = await page(first.cursor)
    expect(second.items.map(({ subject }) => subject.did)).toEqual([bob.did])
    expect(second.cursor).toBeUndefined()
  })

  test('has members that refer to it by another name of its collection', async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    const list = await network.list(alice)
    const item = {
      list: list.uri.replace('app.bsky', 'app.example'),
      subject: bob.did,
      createdAt: network.now,
    }
    await network.write(alice, 'app.example.graph.listitem', item)
    const { data } = await alice.app.bsky.graph.getList({ list: list.uri })
    expect(data.items).toMatchObject([{ subject: { did: bob.did } }])
    const { data: same } = await alice.app.bsky.graph.getList({ list: item.list })
    expect(same.list.uri).toBe(list.uri)
  })

  test('has no members that others add', async () => {
    const [alice, mallory] = await network.join('alice', 'mallory')
    const list = await network.list(alice)
    const item = { list: list.uri, subject: mallory.did, createdAt: network.now }
    await network.write(mallory, 'app.bsky.graph.listitem', item)
    const { data } = await alice.app.bsky.graph.getList({ list: list.uri })
    expect(data).toMatchObject({ list: { listItemCount: 0 }, items: [] })
  })

  test('is unknown when its record is invalid, deleted, or of an inactive account', async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    const invalid = await network.write(alice, 'app.bsky.graph.list', { name: '' })
    const list = await network.list(alice)
    const read = (uri: string) => bob.app.bsky.graph.getList({ list: uri })
    await expect(read(invalid.uri)).rejects.toMatchObject({ status: 400, error: 'InvalidRequest' })
    await network.server.setStatus(alice.did, { deactivated: true })
    await expect(read(list.uri)).rejects.toMatchObject({ status: 400 })
    await network.server.setStatus(alice.did, { deactivated: false })
    expect((await read(list.uri)).data.list.uri).toBe(list.uri)
    await alice.app.bsky.graph.list.delete({ repo: alice.did, rkey: rkeyOf(list) })
    await expect(read(list.uri)).rejects.toMatchObject({ status: 400 })
  })
})

describe('the lists of an account', () => {
  test('are those with the wanted purposes, without those of starter packs', async () => {
    const [alice] = await network.join('alice')
    const write = (purpose: string) =>
      network.write(alice, 'app.bsky.graph.list', {
        ...{ name: purpose, purpose: `app.bsky.graph.defs#${purpose}`, createdAt: network.now },
      })
    const [mod, curate] = [await write('modlist'), await write('curatelist')]
    await write('referencelist')
    const lists = async (purposes?: string[]) =>
      urisOf(
        (await alice.app.bsky.graph.getLists({ actor: alice.did, ...(purposes && { purposes }) })).data.lists,
      )
    expect(await lists()).toEqual([curate.uri, mod.uri])
    expect(await lists(['modlist'])).toEqual([mod.uri])
  })

  test('are read page by page, the newest first', async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    const [older, newer] = [await network.list(alice), await network.list(alice)]
    const pages = await twoPages((page) => bob.app.bsky.graph.getLists({ actor: alice.did, ...page }))
    expect(pages.map(({ lists }) => urisOf(lists))).toEqual([[newer.uri], [older.uri]])
  })

  test('are shown with the membership of an account', async () => {
    const [alice, bob, mallory] = await network.join('alice', 'bob', 'mallory')
    const [empty, full] = [await network.list(alice), await network.list(alice, bob)]
    await network.list(mallory, bob)
    const { data } = await alice.app.bsky.graph.getListsWithMembership({ actor: bob.did })
    expect(data.listsWithMembership).toMatchObject([
      { list: { uri: full.uri }, listItem: { subject: { did: bob.did } } },
      { list: { uri: empty.uri } },
    ])
    expect(data.listsWithMembership[1]).not.toHaveProperty('listItem')
  })
})

test('blocked lists are listed, and shown as blocked', async () => {
  const [alice, bob, carol] = await network.join('alice', 'bob', 'carol')
  const list = await network.list(carol, bob)
  const block = await network.write(alice, 'app.bsky.graph.listblock', {
    ...{ subject: list.uri, createdAt: network.now },
  })
  const { data } = await alice.app.bsky.graph.getListBlocks()
  expect(data.lists).toMatchObject([{ uri: list.uri, viewer: { muted: false, blocked: block.uri } }])
  expect((await carol.app.bsky.graph.getListBlocks()).data.lists).toEqual([])
  const { data: read } = await alice.app.bsky.graph.getList({ list: list.uri })
  expect(read.items).toMatchObject([{ subject: { did: bob.did, viewer: { blocking: block.uri } } }])
})

test('blocked lists are read page by page, the latest blocked first', async () => {
  const [alice, carol] = await network.join('alice', 'carol')
  const [older, newer] = [await network.list(carol), await network.list(carol)]
  for (const { uri: subject } of [newer, older]) {
    await network.write(alice, 'app.bsky.graph.listblock', { subject, createdAt: network.now })
  }
  const pages = await twoPages((page) => alice.app.bsky.graph.getListBlocks(page))
  expect(pages.map(({ lists }) => urisOf(lists))).toEqual([[older.uri], [newer.uri]])
})

test('muted lists are listed to the account only, and mute their members', async () => {
  const [alice, bob, carol] = await network.join('alice', 'bob', 'carol')
  const list = await network.list(carol, bob)
  await alice.muteModList(list.uri)
  expect((await alice.app.bsky.graph.getListMutes()).data.lists).toMatchObject([
    { uri: list.uri, viewer: { muted: true } },
  ])
  expect((await carol.app.bsky.graph.getListMutes()).data.lists).toEqual([])
  const { viewer } = (await alice.getProfile({ actor: bob.did })).data
  expect(viewer).toMatchObject({ muted: true, mutedByList: { uri: list.uri } })
  await alice.unmuteModList(list.uri)
  expect((await alice.app.bsky.graph.getListMutes()).data.lists).toEqual([])
  expect((await alice.getProfile({ actor: bob.did })).data.viewer?.muted).toBe(false)
})

test('muted lists are read page by page, the newest list first', async () => {
  const [alice, carol] = await network.join('alice', 'carol')
  const [older, newer] = [await network.list(carol), await network.list(carol)]
  for (const { uri } of [newer, older]) await alice.muteModList(uri)
  const pages = await twoPages((page) => alice.app.bsky.graph.getListMutes(page))
  expect(pages.map(({ lists }) => urisOf(lists))).toEqual([[newer.uri], [older.uri]])
})

describe('a starter pack', () => {
  test('has its record, its list and a sample of members that are not blocked', async () => {
    const [alice, bob, carol, dave] = await network.join('alice', 'bob', 'carol', 'dave')
    const list = await network.list(alice, bob, carol)
    const record = { name: 'Gardeners', list: list.uri, createdAt: network.now }
    const pack = await network.write(alice, 'app.bsky.graph.starterpack', record)
    await network.block(dave, bob)
    const { data } = await dave.app.bsky.graph.getStarterPack({ starterPack: pack.uri })
    expect(data.starterPack).toMatchObject({
      ...{ uri: pack.uri, record: { $type: 'app.bsky.graph.starterpack', ...record } },
      ...{ creator: { did: alice.did }, list: { uri: list.uri, listItemCount: 2 } },
      listItemsSample: [{ subject: { did: carol.did } }],
    })
    expect(data.starterPack.listItemsSample).toHaveLength(1)
    const packs = await dave.app.bsky.graph.getActorStarterPacks({ actor: alice.did })
    expect(urisOf(packs.data.starterPacks)).toEqual([pack.uri])
    const unknown = pack.uri.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x'))
    const both = await dave.app.bsky.graph.getStarterPacks({ uris: [unknown, pack.uri] })
    expect(urisOf(both.data.starterPacks)).toEqual([pack.uri])
  })

  test('is listed to its author with the entry of an account, page by page', async () => {
    const [alice, bob, carol] = await network.join('alice', 'bob', 'carol')
    const packOf = async (...members: NetworkAccount[]) => {
      const { uri } = await network.list(alice, ...members)
      const record = { name: 'Gardeners', list: uri, createdAt: network.now }
      return (await network.write(alice, 'app.bsky.graph.starterpack', record)).uri
    }
    const [older, newer] = [await packOf(bob), await packOf(carol)]
    const { graph } = alice.app.bsky
    const { data } = await graph.getStarterPacksWithMembership({ actor: bob.handle, limit: 1 })
    expect(data.starterPacksWithMembership).toMatchObject([{ starterPack: { uri: newer } }])
    expect(data.starterPacksWithMembership[0]).not.toHaveProperty('listItem')
    const { data: rest } = await graph.getStarterPacksWithMembership({
      actor: bob.handle,
      cursor: data.cursor ?? '',
    })
    expect(rest.starterPacksWithMembership).toMatchObject([
      {
        starterPack: {
          uri: older,
          list: { listItemCount: 1 },
          listItemsSample: [{ subject: { did: bob.did } }],
        },
        listItem: { uri: expect.stringContaining(alice.did), subject: { did: bob.did } },
      },
    ])
    const { data: others } = await bob.app.bsky.graph.getStarterPacksWithMembership({ actor: bob.did })
    expect(others.starterPacksWithMembership).toEqual([])
  })

  test('is listed to everyone, page by page', async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    const { uri: list } = await network.list(alice)
    const pack = (name: string) =>
      network.write(alice, 'app.bsky.graph.starterpack', { name, list, createdAt: network.now })
    const [older, newer] = [await pack('Gardeners'), await pack('Painters')]
    const { graph } = bob.app.bsky
    const pages = await twoPages((page) => graph.getActorStarterPacks({ actor: alice.did, ...page }))
    expect(pages.map(({ starterPacks }) => urisOf(starterPacks))).toEqual([[newer.uri], [older.uri]])
  })

  test('is found by words of its name and description, page by page, unless its author is blocked', async () => {
    const [alice, bob] = await network.join('alice', 'bob')
    const { uri: list } = await network.list(alice, bob)
    const pack = (name: string, description: string) =>
      network.write(alice, 'app.bsky.graph.starterpack', {
        ...{ name, description, list, createdAt: network.now },
      })
    const [older, newer] = [await pack('Beekeepers', 'of the valley'), await pack('Valley', 'Beekeepers')]
    await pack('Astronomers', '')
    await network.write(alice, 'app.bsky.graph.starterpack', { name: 7 })
    const { graph } = bob.app.bsky
    const pages = await twoPages((page) => graph.searchStarterPacks({ q: 'valley BEEKEEP', ...page }))
    expect(pages.map(({ starterPacks }) => urisOf(starterPacks))).toEqual([[newer.uri], [older.uri]])
    const { data } = await graph.searchStarterPacksV2({ q: 'beekeepers' })
    expect(urisOf(data.starterPacks)).toEqual([newer.uri, older.uri])
    expect(data.starterPacks[0]).toMatchObject({ listItemsSample: [{ subject: { did: bob.did } }] })
    expect((await graph.searchStarterPacks({ q: 'keepers' })).data.starterPacks).toEqual([])
    await network.block(bob, alice)
    expect((await graph.searchStarterPacks({ q: 'beekeepers' })).data.starterPacks).toEqual([])
  })

  test('does not show the list of another account', async () => {
    const [alice, mallory] = await network.join('alice', 'mallory')
    const list = await network.list(alice)
    const record = { name: 'Stolen', list: list.uri, createdAt: network.now }
    const pack = await network.write(mallory, 'app.bsky.graph.starterpack', record)
    const { data } = await alice.app.bsky.graph.getStarterPack({ starterPack: pack.uri })
    expect(data.starterPack).not.toHaveProperty('list')
  })

  test('is unknown when the record is invalid', async () => {
    const [alice] = await network.join('alice')
    const pack = await network.write(alice, 'app.bsky.graph.starterpack', { name: 7 })
    const read = alice.app.bsky.graph.getStarterPack({ starterPack: pack.uri })
    await expect(read).rejects.toMatchObject({ status: 400, error: 'InvalidRequest' })
  })
})
