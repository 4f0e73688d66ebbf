/**
 * The calls that an app password for everything but deleting may not make, besides changed and deleted records: those that remove
 * or overwrite something.
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
    'chat.example.actor.deleteAccount': 'it removes chats',
    'com.core.repo.applyWrites': 'it can delete and overwrite records',
    'com.core.repo.deleteRecord': 'it deletes a record',
    'com.core.repo.importRepo': 'it replaces all records',
    'com.core.repo.putRecord': 'it can overwrite a record',
  }).map(([nsid, reason]) => [nsid.toLowerCase(), reason]),
)

/** Begins with "update", and only marks notifications as read. */
const harmless = 'app.example.notification.updateseen'

/** Verbs with which the names of methods begin that read or add. What other servers do for any other is unknown. */
const readsOrAdds =
  /^(?:add|begin|check|create|describe|get|list|mute|query|refresh|register|report|resolve|search|send|start|subscribe|upload|verify)/i

/**
 * Returns why a call counts as a removal; undefined if it only reads or adds.
 * @param nsid our name, in any letter case; methods of other servers count, too
 */
export function removalReason(nsid: string): string | undefined {
  const name = nsid.toLowerCase()
  const reason = removals.get(name)
  if (reason !== undefined || name === harmless) return reason
  const verb = name.slice(name.lastIndexOf('.') + 1)
  return readsOrAdds.test(verb) ? undefined : 'its name does not say that it only reads or adds'
}
