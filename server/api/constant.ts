/**
 * Methods with one answer, or one refusal, for everyone. Clients show an error, or no screen at all, where one of them fails. Nothing is suggested or
 * generated here, because that needs services elsewhere; chats, imported contacts, labels and age verification are absent.
 */
import { app, chat, com } from '../../lexicons/generated/index.ts'
import type { CredentialsByWord } from '../identity/callers/credentials.ts'
import type { Call, Lexicon, MethodSchema, OutputOf } from '../platform/xrpc/method.ts'
import { method } from './method.ts'

const { ageassurance, contact, embed, feed, unspecced, video } = app.example
const { actor, convo, group, notification } = chat.example
const { label, temp } = com.core

const silent = { include: 'all', push: false } as const

const noTexts = 'This server sends no text messages, so contacts cannot be found by phone number'

const noVideos = 'This server has no video service. Attach a video as a file instead.'

const noUpload = `There is no such upload. ${noVideos}`

export const constantMethods = [
  constant(ageassurance.getConfig, 'optional', { regions: [] }),
  constant(ageassurance.getState, 'access', { state: { status: 'unknown', access: 'full' }, metadata: {} }),
  constant(contact.dismissMatch, 'access', {}),
  constant(contact.getMatches, 'access', { matches: [] }),
  constant(contact.getSyncStatus, 'access', {}),
  constant(contact.removeData, 'access', {}),
  constant(embed.getEmbedExternalView, 'optional', {}),
  constant(feed.getFeed, 'optional', { feed: [] }),
  constant(feed.getSuggestedFeeds, 'optional', { feeds: [] }),
  constant(feed.sendInteractions, 'access', {}),
  constant(unspecced.getAgeAssuranceState, 'access', { status: 'unknown' }),
  constant(unspecced.getConfig, 'optional', { checkEmailConfirmed: false, liveNow: [] }),
  constant(unspecced.getOnboardingSuggestedStarterPacks, 'optional', { starterPacks: [] }),
  constant(unspecced.getPopularFeedGenerators, 'optional', { feeds: [] }),
  constant(unspecced.getSuggestedFeeds, 'optional', { feeds: [] }),
  constant(unspecced.getSuggestedStarterPacks, 'optional', { starterPacks: [] }),
  constant(unspecced.getTaggedSuggestions, 'optional', { suggestions: [] }),
  constant(unspecced.getTrendingTopics, 'optional', { topics: [], suggested: [] }),
  constant(unspecced.getTrends, 'optional', { trends: [] }),
  constant(video.getUploadLimits, 'access', { canUpload: false, message: noVideos }),
  constant(actor.deleteAccount, 'access or takendown', {}),
  constant(actor.getStatus, 'access', { chatDisabled: true, canCreateGroups: false, groupMemberLimit: 0 }),
  constant(convo.getConvoAvailability, 'access', { canChat: false }),
  constant(convo.getLog, 'access', { logs: [] }),
  constant(convo.getUnreadCounts, 'access', { unreadAcceptedConvos: 0, unreadRequestConvos: 0 }),
  constant(convo.listConvoRequests, 'access', { requests: [] }),
  constant(convo.listConvos, 'access', { convos: [] }),
  constant(group.listMutualGroups, 'access', { convos: [] }),
  constant(notification.getPreferences, 'access', {
    preferences: { chat: silent, chatRequest: silent },
  }),
  refusing(ageassurance.begin, 'RegionNotSupported', 'This server verifies no ages, and needs none'),
  refusing(contact.importContacts, 'InvalidToken', noTexts),
  refusing(contact.startPhoneVerification, 'InvalidPhone', noTexts),
  refusing(contact.verifyPhone, 'InvalidCode', noTexts),
  refusing(video.abortUpload, 'UploadNotFound', noUpload),
  refusing(video.finishUpload, 'UploadNotFound', noUpload),
  refusing(video.getUploadStatus, 'UploadNotFound', noUpload),
  refusing(video.startUpload, 'UploadForbidden', noVideos),
  refusing(video.uploadPart, 'UploadNotFound', noUpload),
  constant(label.queryLabels, 'optional', { labels: [] }),
  constant(temp.checkSignupQueue, 'access', { activated: true }),
]

function constant<S extends MethodSchema>(
  lexicon: Lexicon<S>,
  auth: keyof CredentialsByWord,
  answer: OutputOf<S>,
) {
  return method(lexicon, { auth, handler: () => answer })
}

/** Answers methods that need a service which this server lacks: clients show the text. */
function refusing<S extends MethodSchema>(
  lexicon: Lexicon<S>,
  error: Parameters<Call<S, unknown>['fail']>[0],
  message: string,
) {
  return method(lexicon, {
    auth: 'access',
    handler({ fail }) {
      throw fail(error, message)
    },
  })
}
