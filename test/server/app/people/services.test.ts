/** Labelers, and methods without content on this server: well-formed answers, so that clients show no errors. */
import { expect, test } from 'vitest'
import { network, setupNetwork } from '../../../support/setup.ts'

setupNetwork()

test('a labeler is shown in short and with its policies', async () => {
  const [alice, bob] = await network.join('alice', 'bob')
  const policies = { labelValues: ['spam'] }
  const record = { policies, createdAt: network.now }
  const service = await network.write(alice, 'app.bsky.labeler.service', record, 'self')
  const { labeler } = bob.app.bsky
  const dids = [alice.did, bob.did, 'did:web:elsewhere.test']
  const basic = { uri: service.uri, cid: service.cid, creator: { did: alice.did } }
  const { data: short } = await labeler.getServices({ dids })
  expect(short.views).toMatchObject([{ $type: 'app.bsky.labeler.defs#labelerView', ...basic }])
  const { data: detailed } = await labeler.getServices({ dids, detailed: true })
  expect(detailed.views).toMatchObject([
    { $type: 'app.bsky.labeler.defs#labelerViewDetailed', ...basic, policies },
  ])
  expect((await bob.getProfile({ actor: alice.did })).data.associated?.labeler).toBe(true)
})

test('an invalid labeler counts as none', async () => {
  const [mallory] = await network.join('mallory')
  await network.write(mallory, 'app.bsky.labeler.service', { policies: 7 }, 'self')
  expect((await mallory.app.bsky.labeler.getServices({ dids: [mallory.did] })).data.views).toEqual([])
})

test('trends, popular and suggested feeds and starter packs, configuration and conversations are empty', async () => {
  const [alice] = await network.join('alice')
  const { unspecced } = alice.app.bsky
  expect((await unspecced.getTrendingTopics()).data).toEqual({ topics: [], suggested: [] })
  expect((await unspecced.getSuggestedFeeds()).data).toEqual({ feeds: [] })
  expect((await unspecced.getConfig()).data).toEqual({ checkEmailConfirmed: false, liveNow: [] })
  expect((await unspecced.getTrends()).data).toEqual({ trends: [] })
  expect((await unspecced.getPopularFeedGenerators({ query: 'rain' })).data).toEqual({ feeds: [] })
  expect((await unspecced.getSuggestedStarterPacks()).data).toEqual({ starterPacks: [] })
  expect((await unspecced.getTaggedSuggestions()).data).toEqual({ suggestions: [] })
  expect((await unspecced.getAgeAssuranceState()).data).toEqual({ status: 'unknown' })
  const { convo } = alice.chat.bsky
  expect((await convo.listConvos()).data).toEqual({ convos: [] })
  expect((await convo.getLog()).data).toEqual({ logs: [] })
})
