/** Calls of the methods of the application and of chats. */
import { owner as bystander } from '../../server/setup.ts'
import { someCid } from '../../server/social.ts'
import { webDevice } from '../../services/web-push.ts'
import { badCode, type CallTable } from '../model.ts'

const someActor = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const someGenerator = `at://${someActor}/app.example.feed.generator/weather`
const somePost = `at://${someActor}/app.example.feed.post/3jzfcijpj2z2a`
const someList = `at://${someActor}/app.example.graph.list/3jzfcijpj2z2a`
const someStarterPack = `at://${someActor}/app.example.graph.starterpack/3jzfcijpj2z2a`
const someTid = '3jzfcijpj2z2a'
const draft = { posts: [{ text: 'A draft' }] }
const device = webDevice('token')
const filterable = { include: 'all', list: true, push: true }
const plain = { list: true, push: true }
const preferences = {
  ...Object.fromEntries(
    'chat follow like likeViaRepost mention quote reply repost repostViaRepost'
      .split(' ')
      .map((name) => [name, filterable]),
  ),
  ...{ starterpackJoined: plain, subscribedPost: plain, unverified: plain, verified: plain },
}

export const appCalls: CallTable = {
  'app.example.actor.getPreferences': () => ({}),
  'app.example.actor.getProfile': () => ({ params: { actor: bystander.handle } }),
  'app.example.actor.getProfiles': () => ({ params: { actors: bystander.handle } }),
  'app.example.actor.getSuggestions': () => ({}),
  'app.example.actor.putPreferences': () => ({ input: { preferences: [] } }),
  'app.example.actor.searchActors': () => ({ params: { q: 'by' } }),
  'app.example.actor.searchActorsTypeahead': () => ({ params: { q: 'by' } }),
  'app.example.ageassurance.begin': () => ({
    input: { email: 'a@mail.test', language: 'en', countryCode: 'DE' },
    answer: 'RegionNotSupported',
  }),
  'app.example.ageassurance.getConfig': () => ({}),
  'app.example.ageassurance.getState': () => ({ params: { countryCode: 'AT' } }),
  'app.example.bookmark.createBookmark': () => ({ input: { uri: somePost, cid: someCid } }),
  'app.example.bookmark.deleteBookmark': () => ({ input: { uri: somePost } }),
  'app.example.bookmark.getBookmarks': () => ({}),
  'app.example.contact.dismissMatch': () => ({ input: { subject: bystander.did } }),
  'app.example.contact.getMatches': () => ({}),
  'app.example.contact.getSyncStatus': () => ({}),
  'app.example.contact.importContacts': () => ({
    input: { token: 'x', contacts: ['+12125550123'] },
    answer: badCode,
  }),
  'app.example.contact.removeData': () => ({ input: {} }),
  'app.example.contact.startPhoneVerification': () => ({
    input: { phone: '+12125550123' },
    answer: 'InvalidPhone',
  }),
  'app.example.contact.verifyPhone': () => ({
    input: { phone: '+12125550123', code: '000000' },
    answer: 'InvalidCode',
  }),
  'app.example.draft.createDraft': () => ({ input: { draft } }),
  'app.example.draft.deleteDraft': () => ({ input: { id: someTid } }),
  'app.example.draft.getDrafts': () => ({}),
  'app.example.draft.updateDraft': () => ({ input: { draft: { id: someTid, draft } } }),
  'app.example.embed.getEmbedExternalView': () => ({
    params: { url: 'https://page.example', uris: somePost },
  }),
  'app.example.feed.describeFeedGenerator': () => ({}),
  'app.example.feed.getActorFeeds': () => ({ params: { actor: bystander.did } }),
  'app.example.feed.getActorLikes': ({ did }) => ({ params: { actor: did } }),
  'app.example.feed.getAuthorFeed': () => ({ params: { actor: bystander.did } }),
  'app.example.feed.getFeed': () => ({ params: { feed: someGenerator } }),
  'app.example.feed.getFeedGenerator': () => ({ params: { feed: someGenerator }, answer: 'InvalidRequest' }),
  'app.example.feed.getFeedGenerators': () => ({ params: { feeds: someGenerator } }),
  'app.example.feed.getLikes': () => ({ params: { uri: somePost } }),
  'app.example.feed.getListFeed': () => ({ params: { list: someList }, answer: 'UnknownList' }),
  'app.example.feed.getPostThread': () => ({ params: { uri: somePost }, answer: 'NotFound' }),
  'app.example.feed.getPosts': () => ({ params: { uris: somePost } }),
  'app.example.feed.getQuotes': () => ({ params: { uri: somePost } }),
  'app.example.feed.getRepostedBy': () => ({ params: { uri: somePost } }),
  'app.example.feed.getSuggestedFeeds': () => ({}),
  'app.example.feed.getTimeline': () => ({}),
  'app.example.feed.searchPosts': () => ({ params: { q: 'rain' } }),
  'app.example.feed.searchPostsV2': () => ({ params: { query: 'rain' } }),
  'app.example.feed.sendInteractions': () => ({ input: { interactions: [] } }),
  ...Object.fromEntries(
    ['getActorStarterPacks', 'getFollowers', 'getFollows', 'getKnownFollowers', 'getLists'].map((name) => [
      `app.example.graph.${name}`,
      () => ({ params: { actor: bystander.did } }),
    ]),
  ),
  'app.example.graph.getBlocks': () => ({}),
  'app.example.graph.getList': () => ({ params: { list: someList }, answer: 'InvalidRequest' }),
  'app.example.graph.getListBlocks': () => ({}),
  'app.example.graph.getListMutes': () => ({}),
  'app.example.graph.getListsWithMembership': () => ({ params: { actor: bystander.did } }),
  'app.example.graph.getMutes': () => ({}),
  'app.example.graph.getRelationships': () => ({ params: { actor: bystander.did } }),
  'app.example.graph.getStarterPack': () => ({
    params: { starterPack: someStarterPack },
    answer: 'InvalidRequest',
  }),
  'app.example.graph.getStarterPacks': () => ({ params: { uris: someStarterPack } }),
  'app.example.graph.getStarterPacksWithMembership': () => ({ params: { actor: bystander.did } }),
  'app.example.graph.getSuggestedFollowsByActor': () => ({ params: { actor: bystander.did } }),
  'app.example.graph.muteActor': () => ({ input: { actor: bystander.did } }),
  'app.example.graph.muteActorList': () => ({
    input: { list: someList },
    answer: 'ListNotAvailable',
  }),
  'app.example.graph.muteThread': () => ({ input: { root: somePost } }),
  'app.example.graph.searchStarterPacks': () => ({ params: { q: 'rain' } }),
  'app.example.graph.searchStarterPacksV2': () => ({ params: { q: 'rain' } }),
  'app.example.graph.unmuteActor': () => ({ input: { actor: bystander.did } }),
  'app.example.graph.unmuteActorList': () => ({ input: { list: someList } }),
  'app.example.graph.unmuteThread': () => ({ input: { root: somePost } }),
  'app.example.labeler.getServices': () => ({ params: { dids: bystander.did } }),
  'app.example.notification.getGroupedNotifications': () => ({}),
  'app.example.notification.getPreferences': () => ({}),
  'app.example.notification.getUnreadCount': () => ({}),
  'app.example.notification.listActivitySubscriptions': () => ({}),
  'app.example.notification.listNotifications': () => ({}),
  'app.example.notification.putActivitySubscription': () => ({
    input: { subject: bystander.did, activitySubscription: { post: false, reply: false } },
  }),
  'app.example.notification.putPreferences': () => ({ input: { preferences } }),
  'app.example.notification.putPreferencesV2': () => ({ input: { chat: filterable } }),
  'app.example.notification.registerPush': () => ({ input: device }),
  'app.example.notification.subscribe': () => ({}),
  'app.example.notification.unregisterPush': () => ({ input: device }),
  'app.example.notification.updateSeen': () => ({ input: { seenAt: '2030-01-01T00:00:00.000Z' } }),
  'app.example.unspecced.getAgeAssuranceState': () => ({}),
  'app.example.unspecced.getConfig': () => ({}),
  'app.example.unspecced.getOnboardingSuggestedStarterPacks': () => ({}),
  'app.example.unspecced.getPopularFeedGenerators': () => ({}),
  'app.example.unspecced.getPostThreadOtherV2': () => ({ params: { anchor: somePost } }),
  'app.example.unspecced.getPostThreadV2': () => ({ params: { anchor: somePost } }),
  'app.example.unspecced.getSuggestedFeeds': () => ({}),
  'app.example.unspecced.getSuggestedOnboardingUsers': () => ({}),
  'app.example.unspecced.getSuggestedStarterPacks': () => ({}),
  'app.example.unspecced.getSuggestedUsers': () => ({}),
  'app.example.unspecced.getSuggestedUsersForDiscover': () => ({}),
  'app.example.unspecced.getSuggestedUsersForExplore': () => ({}),
  'app.example.unspecced.getSuggestedUsersForSeeMore': () => ({}),
  'app.example.unspecced.getTaggedSuggestions': () => ({}),
  'app.example.unspecced.getTrendingTopics': () => ({}),
  'app.example.unspecced.getTrends': () => ({}),
  'app.example.video.abortUpload': () => ({ input: { jobId: 'none' }, answer: 'UploadNotFound' }),
  'app.example.video.finishUpload': () => ({ input: { jobId: 'none' }, answer: 'UploadNotFound' }),
  'app.example.video.getUploadLimits': () => ({}),
  'app.example.video.getUploadStatus': () => ({ params: { jobId: 'none' }, answer: 'UploadNotFound' }),
  'app.example.video.startUpload': () => ({
    input: { sizeBytes: 1, mimeType: 'video/mp4' },
    answer: 'UploadForbidden',
  }),
  'app.example.video.uploadPart': () => ({
    params: { jobId: 'none', partNumber: '1' },
    input: {},
    // A part is no JSON.
    answer: 'InvalidRequest',
  }),
  'chat.example.actor.deleteAccount': () => ({}),
  'chat.example.actor.getStatus': () => ({}),
  'chat.example.convo.getConvoAvailability': () => ({ params: { members: bystander.did } }),
  'chat.example.convo.getConvoForMembers': () => ({
    params: { members: bystander.did },
    answer: 'MessagesDisabled',
  }),
  'chat.example.convo.getLog': () => ({}),
  'chat.example.convo.getUnreadCounts': () => ({}),
  'chat.example.convo.listConvoRequests': () => ({}),
  'chat.example.convo.listConvos': () => ({}),
  'chat.example.group.listMutualGroups': () => ({ params: { subject: bystander.did } }),
  'chat.example.notification.getPreferences': () => ({}),
}
