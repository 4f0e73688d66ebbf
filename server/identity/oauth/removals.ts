/**
 * Calls that remove or overwrite something: refused to an app password for everything but deleting, as are changes and deletions of
 * records.
 */

/** Methods of this server, in lower case, and the reason. */
const removals: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'app.example.actor.putPreferences': 'it replaces all preferences',
    'app.example.bookmark.deleteBookmark': 'it removes a bookmark',
    'app.example.contact.dismissMatch': 'it removes a suggestion',
    'app.example.contact.importContacts': 'it replaces contacts',
    'app.example.contact.removeData': 'it removes contacts',
    'app.example.draft.deleteDraft': 'it removes a draft',
    'app.example.draft.updateDraft': 'it overwrites a draft',
    'app.example.graph.unmuteActor': 'it removes a mute',
    'app.example.graph.unmuteActorList': 'it removes a mute',
    'app.example.graph.unmuteThread': 'it removes a mute',
    'app.example.notification.putActivitySubscription': 'it replaces or removes a subscription',
    'app.example.notification.putPreferences': 'it overwrites settings of notifications',
    'app.example.notification.putPreferencesV2': 'it overwrites settings of notifications',
    'app.example.notification.unregisterPush': 'it ends the notifications of a device',
    'app.example.video.abortUpload': 'it removes an upload',
    'chat.example.actor.deleteAccount': 'it removes chats',
    'com.core.repo.applyWrites': 'it can delete and overwrite records',
    'com.core.repo.deleteRecord': 'it deletes a record',
    'com.core.repo.importRepo': 'it replaces all records',
    'com.core.repo.putRecord': 'it can overwrite a record',
  }).map(([nsid, reason]) => [nsid.toLowerCase(), reason]),
)

/** Marks notifications as read, although its name begins with "update". */
const harmless = 'app.example.notification.updateseen'

/** First words in the names of methods that read or add. Methods of other servers with another first word are refused. */
const readsOrAdds =
  /^(?:add|begin|check|create|describe|finish|get|list|mute|query|refresh|register|report|resolve|search|send|start|subscribe|upload|verify)/i

/**
 * Returns why a call counts as a removal; undefined if it only reads or adds.
 * @param nsid of this server under our name, or of another server; in any letter case
 */
export function removalReason(nsid: string): string | undefined {
  const name = nsid.toLowerCase()
  const reason = removals.get(name)
  if (reason !== undefined || name === harmless) return reason
  const verb = name.slice(name.lastIndexOf('.') + 1)
  return readsOrAdds.test(verb) ? undefined : 'its name does not begin with a verb that reads or adds'
}
