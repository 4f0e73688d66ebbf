/** What each kind of step does, by calls that any client makes. */
import { accountActions } from './account-actions.ts'
import type { Actions, Loading, Undo } from './loading.ts'
import { postRecord } from './post-record.ts'
import type { Action, ActionOf } from './steps.ts'

/** Does the action of a step. Returns the function that undoes it, if it can be undone. */
export function act(loading: Loading, action: Action): Promise<Undo | undefined> {
  const run = actions[action.kind] as (loading: Loading, action: Action) => Promise<Undo | undefined>
  return run(loading, action)
}

const actions: Actions<Action['kind']> = {
  ...accountActions,
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
