/** What each kind of step does, by calls that any client makes. */
import type { Member, Members, WorldDeps } from './members.ts'
import type { Picture, PictureDefaults } from './pictures.ts'
import { postRecord } from './post-record.ts'
import type { WorldPicture } from './schema.ts'
import type { Action, ActionOf } from './steps.ts'

export interface Ref {
  readonly uri: string
  readonly cid: string
}

export type Undo = () => Promise<unknown>

/** State of a world that is loaded. */
export interface Loading {
  readonly deps: WorldDeps
  readonly members: Members
  /** By id. */
  readonly posts: Map<string, Ref>
  /** The first posts of the threads of replies, by the URI of the reply. */
  readonly roots: Map<string, Ref>
  readonly lists: Map<string, Ref>
  readonly starterPacks: Map<string, Ref>
  readonly reposts: Map<string, Ref>
  readonly inviteCodes: Map<string, string>
  /** Time of the step, for records. */
  readonly createdAt: string
  /** Creates a record, or replaces one with a given key. */
  write(by: string, collection: string, record: object, rkey?: string): Promise<Ref>
  remove(by: string, record: Ref): Promise<unknown>
  /** Uploads a picture. Returns its blob and its size. */
  upload(
    by: string,
    picture: WorldPicture,
    defaults: Omit<PictureDefaults, 'file'>,
  ): Promise<{ readonly blob: unknown; readonly size: Picture['size'] }>
}

type Actions = {
  readonly [Kind in Action['kind']]: (loading: Loading, action: ActionOf<Kind>) => Promise<Undo | undefined>
}

/** Does the action of a step. Returns the function that undoes it, if it can be undone. */
export function act(loading: Loading, action: Action): Promise<Undo | undefined> {
  const run = actions[action.kind] as (loading: Loading, action: Action) => Promise<Undo | undefined>
  return run(loading, action)
}

const actions: Actions = {
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
  async profile(loading, { by, item }) {
    const { displayName, description, avatar, banner, joinedVia } = item
    const member = loading.members.get(by)
    const [square, wide] = [
      { width: 96, height: 96, key: `${by} avatar` },
      { width: 300, height: 100, key: `${by} banner` },
    ]
    const record = {
      ...{ displayName, description },
      ...(avatar !== undefined && { avatar: (await loading.upload(by, avatar, square)).blob }),
      ...(banner !== undefined && { banner: (await loading.upload(by, banner, wide)).blob }),
      ...(joinedVia !== undefined && { joinedViaStarterPack: loading.starterPacks.get(joinedVia) }),
    }
    member.displayName = displayName ?? ''
    await loading.write(by, 'app.bsky.actor.profile', record, 'self')
    return undefined
  },
  follow: (loading, { by, of }) =>
    removable(loading, by, 'app.bsky.graph.follow', { subject: loading.members.get(of).did }),
  block: (loading, { by, of }) =>
    removable(loading, by, 'app.bsky.graph.block', { subject: loading.members.get(of).did }),
  blockList: (loading, { by, list }) =>
    removable(loading, by, 'app.bsky.graph.listblock', { subject: loading.lists.get(list)?.uri }),
  async mute({ members }, { by, of }) {
    const input = { actor: members.get(of).did }
    await members.call(by, 'app.bsky.graph.muteActor', { input })
    return () => members.call(by, 'app.bsky.graph.unmuteActor', { input })
  },
  async muteList({ members, lists }, { by, list }) {
    const input = { list: lists.get(list)?.uri }
    await members.call(by, 'app.bsky.graph.muteActorList', { input })
    return () => members.call(by, 'app.bsky.graph.unmuteActorList', { input })
  },
  async list(loading, { by, item }) {
    const { id, name, description, purpose = 'curate', members = [] } = item
    const list = await loading.write(by, 'app.bsky.graph.list', {
      ...{ name, description, purpose: `app.bsky.graph.defs#${purposes[purpose]}` },
    })
    loading.lists.set(id, list)
    for (const member of members) {
      const subject = loading.members.get(member).did
      await loading.write(by, 'app.bsky.graph.listitem', { subject, list: list.uri })
    }
    return undefined
  },
  async starterPack(loading, { by, item }) {
    const { id, name, description } = item
    const list = loading.lists.get(item.list)?.uri
    const pack = await loading.write(by, 'app.bsky.graph.starterpack', { name, description, list })
    loading.starterPacks.set(id, pack)
    return undefined
  },
  verification(loading, { by, item }) {
    const { did, handle, displayName } = loading.members.get(item.of)
    const record = { subject: did, handle, displayName: item.displayName ?? displayName }
    return removable(loading, by, 'app.bsky.graph.verification', record)
  },
  async post(loading, { by, item }) {
    const { record, gates } = await postRecord(loading, by, item)
    const post = await loading.write(by, 'app.bsky.feed.post', record)
    if (item.id !== undefined) loading.posts.set(item.id, post)
    if (item.reply !== undefined) loading.roots.set(post.uri, record.reply?.root ?? post)
    for (const [collection, gate] of gates)
      await loading.write(by, collection, { ...gate, post: post.uri }, post.uri.split('/').at(-1))
    return undefined
  },
  like: (loading, action) => react(loading, action, 'app.bsky.feed.like'),
  repost: (loading, action) => react(loading, action, 'app.bsky.feed.repost'),
  async subscription({ members }, { by, of, posts, replies }) {
    const subject = members.get(of).did
    const put = (post: boolean, reply: boolean) =>
      members.call(by, 'app.bsky.notification.putActivitySubscription', {
        input: { subject, activitySubscription: { post, reply } },
      })
    await put(posts, replies)
    return () => put(false, false)
  },
  async seen({ members, createdAt: seenAt }, { by }) {
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
  async undo() {
    return undefined
  },
}

const purposes = { curate: 'curatelist', moderation: 'modlist', reference: 'referencelist' } as const

/** Creates a record that can be removed. */
async function removable(loading: Loading, by: string, collection: string, record: object): Promise<Undo> {
  const ref = await loading.write(by, collection, record)
  return () => loading.remove(by, ref)
}

async function react(
  loading: Loading,
  { by, id, post, via }: ActionOf<'like' | 'repost'>,
  collection: string,
): Promise<Undo> {
  const subject = loading.posts.get(post)
  const record = { subject, ...(via !== undefined && { via: loading.reposts.get(via) }) }
  const ref = await loading.write(by, collection, record)
  if (id !== undefined) loading.reposts.set(id, ref)
  return () => loading.remove(by, ref)
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
