/**
 * Methods with one answer for everyone. Clients show an error, or no screen at all, where one of them fails. Nothing is suggested or
 * generated here, because that needs services elsewhere; there is no chat.
 */
import { app, chat } from '../../lexicons/generated/index.ts'
import type { CredentialsByWord } from '../identity/auth/credentials.ts'
import type { Lexicon, MethodSchema, OutputOf } from '../platform/xrpc/method.ts'
import { method } from './method.ts'

const { feed, unspecced } = app.example
const { convo } = chat.example

export const constantMethods = [
  constant(feed.getFeed, 'optional', { feed: [] }),
  constant(feed.getSuggestedFeeds, 'optional', { feeds: [] }),
  constant(unspecced.getAgeAssuranceState, 'access', { status: 'unknown' }),
  constant(unspecced.getConfig, 'optional', { checkEmailConfirmed: false, liveNow: [] }),
  constant(unspecced.getPopularFeedGenerators, 'optional', { feeds: [] }),
  constant(unspecced.getSuggestedFeeds, 'optional', { feeds: [] }),
  constant(unspecced.getSuggestedStarterPacks, 'optional', { starterPacks: [] }),
  constant(unspecced.getTaggedSuggestions, 'optional', { suggestions: [] }),
  constant(unspecced.getTrendingTopics, 'optional', { topics: [], suggested: [] }),
  constant(unspecced.getTrends, 'optional', { trends: [] }),
  constant(convo.getConvoAvailability, 'access', { canChat: false }),
  constant(convo.getLog, 'access', { logs: [] }),
  constant(convo.getUnreadCounts, 'access', { unreadAcceptedConvos: 0, unreadRequestConvos: 0 }),
  constant(convo.listConvos, 'access', { convos: [] }),
]

function constant<S extends MethodSchema>(
  lexicon: Lexicon<S>,
  auth: keyof CredentialsByWord,
  answer: OutputOf<S>,
) {
  return method(lexicon, { auth, handler: () => answer })
}
