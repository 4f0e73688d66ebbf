/** The lists of methods and subscriptions. A new handler is registered only here. */

import { getPreferences as getActorPreferences } from './app/example/actor/getPreferences.ts'
import { getProfile } from './app/example/actor/getProfile.ts'
import { getProfiles } from './app/example/actor/getProfiles.ts'
import { getSuggestions } from './app/example/actor/getSuggestions.ts'
import { putPreferences as putActorPreferences } from './app/example/actor/putPreferences.ts'
import { searchActors } from './app/example/actor/searchActors.ts'
import { searchActorsTypeahead } from './app/example/actor/searchActorsTypeahead.ts'
import { createBookmark } from './app/example/bookmark/createBookmark.ts'
import { deleteBookmark } from './app/example/bookmark/deleteBookmark.ts'
import { getBookmarks } from './app/example/bookmark/getBookmarks.ts'
import { createDraft } from './app/example/draft/createDraft.ts'
import { deleteDraft } from './app/example/draft/deleteDraft.ts'
import { getDrafts } from './app/example/draft/getDrafts.ts'
import { updateDraft } from './app/example/draft/updateDraft.ts'
import { getActorFeeds } from './app/example/feed/getActorFeeds.ts'
import { getActorLikes } from './app/example/feed/getActorLikes.ts'
import { getAuthorFeed } from './app/example/feed/getAuthorFeed.ts'
import { getFeed } from './app/example/feed/getFeed.ts'
import { getFeedGenerator } from './app/example/feed/getFeedGenerator.ts'
import { getFeedGenerators } from './app/example/feed/getFeedGenerators.ts'
import { getLikes } from './app/example/feed/getLikes.ts'
import { getListFeed } from './app/example/feed/getListFeed.ts'
import { getPosts } from './app/example/feed/getPosts.ts'
import { getPostThread } from './app/example/feed/getPostThread.ts'
import { getQuotes } from './app/example/feed/getQuotes.ts'
import { getRepostedBy } from './app/example/feed/getRepostedBy.ts'
import { getSuggestedFeeds } from './app/example/feed/getSuggestedFeeds.ts'
import { getTimeline } from './app/example/feed/getTimeline.ts'
import { searchPosts } from './app/example/feed/searchPosts.ts'
import { getActorStarterPacks } from './app/example/graph/getActorStarterPacks.ts'
import { getBlocks } from './app/example/graph/getBlocks.ts'
import { getFollowers } from './app/example/graph/getFollowers.ts'
import { getFollows } from './app/example/graph/getFollows.ts'
import { getKnownFollowers } from './app/example/graph/getKnownFollowers.ts'
import { getList } from './app/example/graph/getList.ts'
import { getListBlocks } from './app/example/graph/getListBlocks.ts'
import { getListMutes } from './app/example/graph/getListMutes.ts'
import { getLists } from './app/example/graph/getLists.ts'
import { getListsWithMembership } from './app/example/graph/getListsWithMembership.ts'
import { getMutes } from './app/example/graph/getMutes.ts'
import { getRelationships } from './app/example/graph/getRelationships.ts'
import { getStarterPack } from './app/example/graph/getStarterPack.ts'
import { getStarterPacks } from './app/example/graph/getStarterPacks.ts'
import { getStarterPacksWithMembership } from './app/example/graph/getStarterPacksWithMembership.ts'
import { getSuggestedFollowsByActor } from './app/example/graph/getSuggestedFollowsByActor.ts'
import { muteActor } from './app/example/graph/muteActor.ts'
import { muteActorList } from './app/example/graph/muteActorList.ts'
import { muteThread } from './app/example/graph/muteThread.ts'
import { unmuteActor } from './app/example/graph/unmuteActor.ts'
import { unmuteActorList } from './app/example/graph/unmuteActorList.ts'
import { unmuteThread } from './app/example/graph/unmuteThread.ts'
import { getServices } from './app/example/labeler/getServices.ts'
import { getPreferences } from './app/example/notification/getPreferences.ts'
import { getUnreadCount } from './app/example/notification/getUnreadCount.ts'
import { listActivitySubscriptions } from './app/example/notification/listActivitySubscriptions.ts'
import { listNotifications } from './app/example/notification/listNotifications.ts'
import { putActivitySubscription } from './app/example/notification/putActivitySubscription.ts'
import { putPreferences } from './app/example/notification/putPreferences.ts'
import { putPreferencesV2 } from './app/example/notification/putPreferencesV2.ts'
import { registerPush } from './app/example/notification/registerPush.ts'
import { subscribe } from './app/example/notification/subscribe.ts'
import { unregisterPush } from './app/example/notification/unregisterPush.ts'
import { updateSeen } from './app/example/notification/updateSeen.ts'
import { getAgeAssuranceState } from './app/example/unspecced/getAgeAssuranceState.ts'
import { getConfig } from './app/example/unspecced/getConfig.ts'
import { getPopularFeedGenerators } from './app/example/unspecced/getPopularFeedGenerators.ts'
import { getPostThreadOtherV2 } from './app/example/unspecced/getPostThreadOtherV2.ts'
import { getPostThreadV2 } from './app/example/unspecced/getPostThreadV2.ts'
import { getSuggestedFeeds as getSuggestedFeedsOfNetwork } from './app/example/unspecced/getSuggestedFeeds.ts'
import { getSuggestedStarterPacks } from './app/example/unspecced/getSuggestedStarterPacks.ts'
import { getSuggestedUsers } from './app/example/unspecced/getSuggestedUsers.ts'
import { getTaggedSuggestions } from './app/example/unspecced/getTaggedSuggestions.ts'
import { getTrendingTopics } from './app/example/unspecced/getTrendingTopics.ts'
import { getTrends } from './app/example/unspecced/getTrends.ts'
import { getConvoAvailability } from './chat/example/convo/getConvoAvailability.ts'
import { getLog } from './chat/example/convo/getLog.ts'
import { getUnreadCounts } from './chat/example/convo/getUnreadCounts.ts'
import { listConvos } from './chat/example/convo/listConvos.ts'
import { describeActors } from './com/core/actor/describeActors.ts'
import { addUpstream } from './com/core/admin/addUpstream.ts'
import { checkNetwork } from './com/core/admin/checkNetwork.ts'
import { confirmClock } from './com/core/admin/confirmClock.ts'
import { deleteAccount as adminDeleteAccount } from './com/core/admin/deleteAccount.ts'
import { disableAccountInvites } from './com/core/admin/disableAccountInvites.ts'
import { disableInviteCodes } from './com/core/admin/disableInviteCodes.ts'
import { enableAccountInvites } from './com/core/admin/enableAccountInvites.ts'
import { getAccountInfo } from './com/core/admin/getAccountInfo.ts'
import { getAccountInfos } from './com/core/admin/getAccountInfos.ts'
import { getClock } from './com/core/admin/getClock.ts'
import { getInviteCodes } from './com/core/admin/getInviteCodes.ts'
import { getMove as getMoveOfAccount } from './com/core/admin/getMove.ts'
import { getNetwork } from './com/core/admin/getNetwork.ts'
import { getSubjectStatus } from './com/core/admin/getSubjectStatus.ts'
import { listAccounts } from './com/core/admin/listAccounts.ts'
import { listUpstreams } from './com/core/admin/listUpstreams.ts'
import { moveAccount } from './com/core/admin/moveAccount.ts'
import { purgeRemoteRecords } from './com/core/admin/purgeRemoteRecords.ts'
import { removeUpstream } from './com/core/admin/removeUpstream.ts'
import { requestCrawls } from './com/core/admin/requestCrawls.ts'
import { retryUpstream } from './com/core/admin/retryUpstream.ts'
import { searchAccounts } from './com/core/admin/searchAccounts.ts'
import { sendEmail } from './com/core/admin/sendEmail.ts'
import { updateAccountEmail } from './com/core/admin/updateAccountEmail.ts'
import { updateAccountHandle } from './com/core/admin/updateAccountHandle.ts'
import { updateAccountPassword } from './com/core/admin/updateAccountPassword.ts'
import { updateSubjectStatus } from './com/core/admin/updateSubjectStatus.ts'
import { addRecoveryKey } from './com/core/identity/addRecoveryKey.ts'
import { getRecommendedDidCredentials } from './com/core/identity/getRecommendedDidCredentials.ts'
import { listRotationKeys } from './com/core/identity/listRotationKeys.ts'
import { removeRecoveryKey } from './com/core/identity/removeRecoveryKey.ts'
import { requestPlcOperationSignature } from './com/core/identity/requestPlcOperationSignature.ts'
import { resolveHandle } from './com/core/identity/resolveHandle.ts'
import { signPlcOperation } from './com/core/identity/signPlcOperation.ts'
import { submitPlcOperation } from './com/core/identity/submitPlcOperation.ts'
import { updateHandle } from './com/core/identity/updateHandle.ts'
import { cancelMove } from './com/core/move/cancelMove.ts'
import { continueMove } from './com/core/move/continueMove.ts'
import { describeServer as describeTargetServer } from './com/core/move/describeServer.ts'
import { findAccount } from './com/core/move/findAccount.ts'
import { getMove } from './com/core/move/getMove.ts'
import { moveIn } from './com/core/move/moveIn.ts'
import { moveOut } from './com/core/move/moveOut.ts'
import { applyWrites } from './com/core/repo/applyWrites.ts'
import { createRecord } from './com/core/repo/createRecord.ts'
import { deleteRecord } from './com/core/repo/deleteRecord.ts'
import { describeRepo } from './com/core/repo/describeRepo.ts'
import { getRecord } from './com/core/repo/getRecord.ts'
import { importRepo } from './com/core/repo/importRepo.ts'
import { listMissingBlobs } from './com/core/repo/listMissingBlobs.ts'
import { listRecords } from './com/core/repo/listRecords.ts'
import { putRecord } from './com/core/repo/putRecord.ts'
import { uploadBlob } from './com/core/repo/uploadBlob.ts'
import { activateAccount } from './com/core/server/activateAccount.ts'
import { checkAccountStatus } from './com/core/server/checkAccountStatus.ts'
import { checkDomain } from './com/core/server/checkDomain.ts'
import { confirmEmail } from './com/core/server/confirmEmail.ts'
import { createAccount } from './com/core/server/createAccount.ts'
import { createAppPassword } from './com/core/server/createAppPassword.ts'
import { createInviteCode } from './com/core/server/createInviteCode.ts'
import { createInviteCodes } from './com/core/server/createInviteCodes.ts'
import { createSession } from './com/core/server/createSession.ts'
import { deactivateAccount } from './com/core/server/deactivateAccount.ts'
import { deleteAccount } from './com/core/server/deleteAccount.ts'
import { deleteSession } from './com/core/server/deleteSession.ts'
import { describeServer } from './com/core/server/describeServer.ts'
import { getAccountInviteCodes } from './com/core/server/getAccountInviteCodes.ts'
import { getServiceAuth } from './com/core/server/getServiceAuth.ts'
import { getSession } from './com/core/server/getSession.ts'
import { getUsage } from './com/core/server/getUsage.ts'
import { listAppPasswords } from './com/core/server/listAppPasswords.ts'
import { listSessions } from './com/core/server/listSessions.ts'
import { receiveProbe } from './com/core/server/receiveProbe.ts'
import { refreshSession } from './com/core/server/refreshSession.ts'
import { requestAccountDelete } from './com/core/server/requestAccountDelete.ts'
import { requestEmailConfirmation } from './com/core/server/requestEmailConfirmation.ts'
import { requestEmailUpdate } from './com/core/server/requestEmailUpdate.ts'
import { requestPasswordReset } from './com/core/server/requestPasswordReset.ts'
import { reserveSigningKey } from './com/core/server/reserveSigningKey.ts'
import { resetPassword } from './com/core/server/resetPassword.ts'
import { revokeAppPassword } from './com/core/server/revokeAppPassword.ts'
import { revokeSession } from './com/core/server/revokeSession.ts'
import { updateEmail } from './com/core/server/updateEmail.ts'
import { getBlob } from './com/core/sync/getBlob.ts'
import { getBlocks as getRepoBlocks } from './com/core/sync/getBlocks.ts'
import { getLatestCommit } from './com/core/sync/getLatestCommit.ts'
import { getRecord as getRecordProof } from './com/core/sync/getRecord.ts'
import { getRepo } from './com/core/sync/getRepo.ts'
import { getRepoStatus } from './com/core/sync/getRepoStatus.ts'
import { listBlobs } from './com/core/sync/listBlobs.ts'
import { listRepos } from './com/core/sync/listRepos.ts'
import { subscribeRepos } from './com/core/sync/subscribeRepos.ts'

export const methods = [
  applyWrites,
  createRecord,
  deleteRecord,
  describeRepo,
  getRecord,
  importRepo,
  listMissingBlobs,
  listRecords,
  putRecord,
  uploadBlob,
  getBlob,
  getRepoBlocks,
  getLatestCommit,
  getRecordProof,
  getRepo,
  getRepoStatus,
  listBlobs,
  listRepos,
  addRecoveryKey,
  getRecommendedDidCredentials,
  listRotationKeys,
  removeRecoveryKey,
  requestPlcOperationSignature,
  resolveHandle,
  signPlcOperation,
  submitPlcOperation,
  updateHandle,
  activateAccount,
  checkAccountStatus,
  checkDomain,
  confirmEmail,
  createAccount,
  createAppPassword,
  createInviteCode,
  createInviteCodes,
  createSession,
  deactivateAccount,
  deleteAccount,
  deleteSession,
  describeServer,
  getAccountInviteCodes,
  getServiceAuth,
  getSession,
  getUsage,
  listAppPasswords,
  listSessions,
  receiveProbe,
  refreshSession,
  requestAccountDelete,
  requestEmailConfirmation,
  requestEmailUpdate,
  requestPasswordReset,
  reserveSigningKey,
  resetPassword,
  revokeAppPassword,
  revokeSession,
  updateEmail,
  describeActors,
  checkNetwork,
  confirmClock,
  adminDeleteAccount,
  disableAccountInvites,
  enableAccountInvites,
  getAccountInfo,
  getAccountInfos,
  getClock,
  getInviteCodes,
  getNetwork,
  purgeRemoteRecords,
  requestCrawls,
  addUpstream,
  listUpstreams,
  removeUpstream,
  retryUpstream,
  searchAccounts,
  sendEmail,
  updateAccountEmail,
  updateAccountHandle,
  disableInviteCodes,
  getSubjectStatus,
  listAccounts,
  updateAccountPassword,
  updateSubjectStatus,
  getActorPreferences,
  getProfile,
  getActorFeeds,
  getActorLikes,
  getAuthorFeed,
  getFeed,
  getFeedGenerator,
  getFeedGenerators,
  getLikes,
  getListFeed,
  getPostThread,
  getPosts,
  getQuotes,
  getRepostedBy,
  getSuggestedFeeds,
  getTimeline,
  searchPosts,
  getPostThreadOtherV2,
  getPostThreadV2,
  putActorPreferences,
  getPreferences,
  getUnreadCount,
  listActivitySubscriptions,
  listNotifications,
  putActivitySubscription,
  putPreferences,
  putPreferencesV2,
  registerPush,
  unregisterPush,
  updateSeen,
  getProfiles,
  getSuggestions,
  searchActors,
  searchActorsTypeahead,
  getActorStarterPacks,
  getBlocks,
  getFollowers,
  getFollows,
  getKnownFollowers,
  getList,
  getListBlocks,
  getListMutes,
  getLists,
  getListsWithMembership,
  getRelationships,
  getStarterPack,
  getStarterPacks,
  getStarterPacksWithMembership,
  getSuggestedFollowsByActor,
  getMutes,
  muteActor,
  muteActorList,
  muteThread,
  unmuteActor,
  unmuteActorList,
  unmuteThread,
  getServices,
  createBookmark,
  deleteBookmark,
  getBookmarks,
  createDraft,
  deleteDraft,
  getDrafts,
  updateDraft,
  getAgeAssuranceState,
  getConfig,
  getPopularFeedGenerators,
  getSuggestedFeedsOfNetwork,
  getSuggestedStarterPacks,
  getSuggestedUsers,
  getTaggedSuggestions,
  getTrendingTopics,
  getTrends,
  getConvoAvailability,
  getLog,
  getUnreadCounts,
  listConvos,
  findAccount,
  describeTargetServer,
  moveIn,
  moveOut,
  getMove,
  continueMove,
  cancelMove,
  moveAccount,
  getMoveOfAccount,
]

export const subscriptions = [subscribe, subscribeRepos]
