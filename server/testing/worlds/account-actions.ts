/** The steps that concern an account itself: sign-up, devices, settings, mail, moderation. */
import type { Actions, Loading } from './loading.ts'
import type { Member } from './members.ts'
import type { ActionOf } from './steps.ts'

type Kind =
  | 'account'
  | 'inviteCode'
  | 'confirmEmail'
  | 'subscription'
  | 'seen'
  | 'appPassword'
  | 'session'
  | 'code'
  | 'state'

export const accountActions: Actions<Kind> = {
  async account({ members, inviteCodes }, { by, item }) {
    const { inviteCode, preferences, notificationPreferences } = item
    await members.signUp(item, inviteCode === undefined ? undefined : inviteCodes.get(inviteCode))
    if (preferences) await members.call(by, 'app.bsky.actor.putPreferences', { input: { preferences } })
    if (notificationPreferences)
      await members.call(by, 'app.bsky.notification.putPreferencesV2', { input: notificationPreferences })
    return undefined
  },
  async inviteCode({ deps, members, inviteCodes }, { by, item }) {
    const { server, did } = members.get(by)
    const input = { useCount: item.uses ?? 1, forAccount: did }
    const { code } = await deps.admin(server, 'com.atproto.server.createInviteCode', input)
    inviteCodes.set(item.id, code)
    return () => deps.admin(server, 'com.atproto.admin.disableInviteCodes', { codes: [code] })
  },
  async confirmEmail({ deps, members }, { by }) {
    const { email = '', server } = members.get(by)
    if (!deps.code) throw new Error(`${by} confirms its address, but the mail cannot be read here`)
    await members.call(by, 'com.atproto.server.requestEmailConfirmation', { method: 'POST' })
    const input = { email, token: await deps.code(server, email) }
    await members.call(by, 'com.atproto.server.confirmEmail', { input })
    return undefined
  },
  async subscription({ members }, { by, of, posts, replies }) {
    const subject = members.get(of).did
    const put = (post: boolean, reply: boolean) =>
      members.call(by, 'app.bsky.notification.putActivitySubscription', {
        input: { subject, activitySubscription: { post, reply } },
      })
    await put(posts, replies)
    return () => put(false, false)
  },
  async seen({ deps, members }, { by }) {
    const seenAt = deps.now().toISOString()
    await members.call(by, 'app.bsky.notification.updateSeen', { input: { seenAt } })
    return undefined
  },
  async appPassword({ members }, { by, item }) {
    const { name, privileged = false } = item
    const options = { input: { name, privileged } }
    const { password } = await members.call(by, 'com.atproto.server.createAppPassword', options)
    const { appPasswords } = members.get(by)
    appPasswords.set(name, password)
    return async () => {
      appPasswords.delete(name)
      await members.call(by, 'com.atproto.server.revokeAppPassword', { input: { name } })
    }
  },
  async session({ deps, members }, { by, item }) {
    const member = members.get(by)
    const { appPassword, client } = item
    const password = appPassword === undefined ? member.password : member.appPasswords.get(appPassword)
    await deps.call(member.server, 'com.atproto.server.createSession', {
      ...{ input: { identifier: member.handle, password }, ...(client !== undefined && { client }) },
    })
    return undefined
  },
  async code({ deps, members }, { by, purpose }) {
    const { email, server } = members.get(by)
    if (purpose === 'resetPassword')
      await deps.call(server, 'com.atproto.server.requestPasswordReset', { input: { email } })
    else await members.call(by, 'com.atproto.server.requestEmailConfirmation', { method: 'POST' })
    return undefined
  },
  async state(loading, action) {
    await changeState(loading, loading.members.get(action.by), action)
    return undefined
  },
}

async function changeState(
  { deps, members }: Loading,
  { did, server, account }: Member,
  { to, reason: ref, deleteAfter }: ActionOf<'state'>,
): Promise<void> {
  if (to === 'deactivated') {
    await members.call(account.name, 'com.atproto.server.deactivateAccount', { input: { deleteAfter } })
    return
  }
  const subject = { $type: 'com.atproto.admin.defs#repoRef', did }
  await deps.admin(server, 'com.atproto.admin.updateSubjectStatus', {
    ...{ subject, [to]: { applied: true, ...(ref !== undefined && { ref }) } },
  })
}
