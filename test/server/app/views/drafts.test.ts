/** Drafts of posts, as the network's client library stores them. */
import { expect, test } from 'vitest'
import { fillDrafts } from '../../../support/records/drafts.ts'
import { network, setupNetwork } from '../../../support/server/setup.ts'
import { someCid } from '../../../support/server/social.ts'

setupNetwork()

test('are listed from the last changed, page by page, to the account only', async () => {
  const [alice, bob] = await network.join('alice', 'bob')
  const { draft } = alice.app.bsky
  const create = async (text: string) => {
    network.tick()
    return (await draft.createDraft({ draft: { posts: [{ text }] } })).data.id
  }
  const [one, two, three] = [await create('one'), await create('two'), await create('three')]
  const between = network.tick()
  await draft.updateDraft({ draft: { id: three, draft: { posts: [{ text: 'changed' }], langs: ['en'] } } })
  await draft.updateDraft({ draft: { id: one, draft: { posts: [{ text: 'first' }] } } })
  const { data: first } = await draft.getDrafts({ limit: 2 })
  expect(first.drafts).toMatchObject([
    { id: one, draft: { posts: [{ text: 'first' }] } },
    { id: three, draft: { posts: [{ text: 'changed' }], langs: ['en'] } },
  ])
  for (const { createdAt, updatedAt } of first.drafts) {
    expect([updatedAt, between, createdAt].toSorted()).toEqual([createdAt, between, updatedAt])
  }
  const { data: second } = await draft.getDrafts({ limit: 2, cursor: first.cursor ?? '' })
  expect(second.drafts.map(({ id }) => id)).toEqual([two])
  expect(second.cursor).toBeUndefined()

  await bob.app.bsky.draft.deleteDraft({ id: one })
  await bob.app.bsky.draft.updateDraft({ draft: { id: one, draft: { posts: [{ text: 'stolen' }] } } })
  expect((await bob.app.bsky.draft.getDrafts()).data.drafts).toEqual([])
  await draft.deleteDraft({ id: three })
  await draft.deleteDraft({ id: three })
  const { data: rest } = await draft.getDrafts()
  expect(rest.drafts).toMatchObject([
    { id: one, draft: { posts: [{ text: 'first' }] } },
    { id: two, draft: { posts: [{ text: 'two' }] } },
  ])
})

test('keep what they embed and the rules of their gates', async () => {
  const [alice] = await network.join('alice')
  const record = { uri: `at://${alice.did}/app.bsky.feed.post/3jzfcijpj2z2a`, cid: someCid }
  const localRef = { path: 'device/1.png' }
  const post = {
    ...{ $type: 'app.bsky.draft.defs#draftPost' as const, text: 'With all' },
    labels: { $type: 'com.atproto.label.defs#selfLabels' as const, values: [{ val: 'graphic-media' }] },
    embedImages: [{ localRef, alt: 'A tree' }],
    embedExternals: [{ uri: 'https://example.com/' }],
    embedRecords: [{ record }],
  }
  const draft = {
    $type: 'app.bsky.draft.defs#draft' as const,
    ...{ posts: [post, { text: 'And on' }], langs: ['de'], deviceId: 'd', deviceName: 'Browser' },
    postgateEmbeddingRules: [{ $type: 'app.bsky.feed.postgate#disableRule' as const }],
    threadgateAllow: [{ $type: 'app.bsky.feed.threadgate#mentionRule' as const }],
  }
  await alice.app.bsky.draft.createDraft({ draft })
  expect((await alice.app.bsky.draft.getDrafts()).data.drafts).toMatchObject([{ draft }])
})

test('are limited to 200 an account, and deleted with it', async () => {
  const [alice] = await network.join('alice')
  const { store } = network.server.running.services
  const count = () => store.get<{ n: number }>('SELECT count(*) AS n FROM drafts')?.n ?? 0
  const before = count()
  const create = () => alice.app.bsky.draft.createDraft({ draft: { posts: [{ text: '' }] } })
  await fillDrafts(store, alice.did, 199)
  await create()
  await expect(create()).rejects.toMatchObject({ status: 400, error: 'DraftLimitReached' })
  expect(count()).toBe(before + 200)
  await alice.com.atproto.server.requestAccountDelete()
  const token = await network.server.codeTo(`${alice.handle}@mail.test`)
  await alice.com.atproto.server.deleteAccount({ did: alice.did, password: 'alice-password', token })
  expect(count()).toBe(before)
})
