/** Labelers, and methods without content on this server: well-formed answers, so that clients show no errors. */
import { expect, test } from 'vitest'
import { network, server, setupNetwork } from '../../../support/server/setup.ts'

setupNetwork()

test('a labeler is shown in short and with its policies', async () => {
  const [alice, bob] = await network.join('alice', 'bob')
  const policies = { labelValues: ['spam'] }
  const record = { policies, createdAt: network.now }
  const service = await network.write(alice, 'app.bsky.labeler.service', record, 'self')
  const { labeler } = bob.app.bsky
  const dids = [alice.did, bob.did, 'did:web:elsewhere.test']
  const basic = { uri: service.uri, cid: service.cid, creator: { did: alice.did } }
  const ownServer = { creator: { did: expect.stringMatching(/^did:web:localhost/) } }
  const { data: short } = await labeler.getServices({ dids })
  expect(short.views).toMatchObject([{ $type: 'app.bsky.labeler.defs#labelerView', ...basic }, ownServer])
  const { data: detailed } = await labeler.getServices({ dids, detailed: true })
  expect(detailed.views).toMatchObject([
    { $type: 'app.bsky.labeler.defs#labelerViewDetailed', ...basic, policies },
    ownServer,
  ])
  expect((await bob.getProfile({ actor: alice.did })).data.associated?.labeler).toBe(true)
})

test('an invalid labeler counts as none', async () => {
  const [mallory] = await network.join('mallory')
  await network.write(mallory, 'app.bsky.labeler.service', { policies: 7 }, 'self')
  const { data } = await mallory.app.bsky.labeler.getServices({ dids: [mallory.did] })
  expect(JSON.stringify(data.views)).not.toContain(mallory.did)
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
  expect((await unspecced.getOnboardingSuggestedStarterPacks()).data).toEqual({ starterPacks: [] })
  const { contact, embed, feed } = alice.app.bsky
  expect((await contact.getSyncStatus()).data).toEqual({})
  expect((await contact.getMatches()).data).toEqual({ matches: [] })
  expect((await contact.dismissMatch({ subject: alice.did })).data).toEqual({})
  expect((await contact.removeData({})).data).toEqual({})
  const uris = [`at://${alice.did}/site.standard.document/one`]
  expect((await embed.getEmbedExternalView({ url: 'https://page.example', uris })).data).toEqual({})
  const event = 'app.bsky.feed.defs#interactionSeen'
  const item = `at://${alice.did}/app.bsky.feed.post/3jzfcijpj2z2a`
  expect((await feed.sendInteractions({ interactions: [{ item, event }] })).data).toEqual({})
  const { data: generator } = await feed.describeFeedGenerator()
  expect(generator).toEqual({ did: `did:web:localhost%3A${server.running.port}`, feeds: [] })
  const { label, temp } = alice.com.atproto
  expect((await label.queryLabels({ uriPatterns: ['*'] })).data).toEqual({ labels: [] })
  expect((await temp.checkSignupQueue()).data).toEqual({ activated: true })
  const { convo } = alice.chat.bsky
  expect((await convo.listConvos()).data).toEqual({ convos: [] })
  expect((await convo.getLog()).data).toEqual({ logs: [] })
})

test('no age is verified, and nothing is restricted', async () => {
  const [alice] = await network.join('alice')
  const { ageassurance } = alice.app.bsky
  expect((await ageassurance.getConfig()).data).toEqual({ regions: [] })
  const state = { status: 'unknown', access: 'full' }
  expect((await ageassurance.getState({ countryCode: 'AT' })).data).toEqual({ state, metadata: {} })
})

test('chat is disabled: clients hide its buttons, and the chat data of an account that is deleted need no deletion', async () => {
  const [alice, bob] = await network.join('alice', 'bob')
  const { actor, convo, group, notification } = alice.chat.bsky
  const status = { chatDisabled: true, canCreateGroups: false, groupMemberLimit: 0 }
  expect((await actor.getStatus()).data).toEqual(status)
  expect((await actor.deleteAccount()).data).toEqual({})
  expect((await convo.listConvoRequests()).data).toEqual({ requests: [] })
  expect((await group.listMutualGroups({ subject: bob.did })).data).toEqual({ convos: [] })
  const silent = { include: 'all', push: false }
  expect((await notification.getPreferences()).data).toEqual({
    preferences: { chat: silent, chatRequest: silent },
  })
  await expect(convo.getConvoForMembers({ members: [bob.did] })).rejects.toMatchObject({
    status: 400,
    error: 'MessagesDisabled',
  })
})

test('accounts that are not followed are suggested wherever clients ask', async () => {
  const [alice, bob, carol] = await network.join('alice', 'bob', 'carol')
  await alice.follow(carol.did)
  const { unspecced } = alice.app.bsky
  const answers = await Promise.all([
    unspecced.getSuggestedUsers({ limit: 50 }),
    unspecced.getSuggestedUsersForDiscover({ limit: 50 }),
    unspecced.getSuggestedUsersForExplore({ category: 'art', limit: 50 }),
    unspecced.getSuggestedUsersForSeeMore({ limit: 50 }),
    unspecced.getSuggestedOnboardingUsers({ limit: 50 }),
  ])
  for (const { data } of answers) {
    const dids = data.actors.map(({ did }) => did)
    expect(dids).toContain(bob.did)
    expect(dids).not.toContain(carol.did)
  }
})
