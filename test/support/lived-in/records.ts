/** Records of every kind by a lived-in account and about it, and its private state beside them. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { blobOf } from '../records/blobs.ts'
import { halves } from '../records/pictures.ts'
import type { Account } from '../server/server.ts'
import { server, social } from '../server/setup.ts'
import { body, createdAt, feed, graph, mentions, type Ref } from '../server/social.ts'
import { people } from './people.ts'

const keyOf = ({ uri }: Ref) => uri.split('/').at(-1) ?? ''
const call = async (nsid: string, input: object, account: Account) =>
  body(await server.post(nsid, input, account))

export interface Made {
  readonly root: Ref
  /** Has pictures. */
  readonly gallery: Ref
  readonly list: Ref
  readonly picture: string
  readonly followedBy: readonly string[]
}

/** Writes one record of each kind, with media. */
export async function writeRecords(): Promise<Made> {
  const { ann, ben, cat, dan } = people
  const avatar = await blobOf(server, ann, halves(64, 64))
  const picture = await blobOf(server, ann, halves(300, 200))
  const video = await blobOf(
    server,
    ann,
    await readFile(join(import.meta.dirname, '../records/video.mp4')),
    'video/mp4',
  )
  const root = await social.post(ann, {
    langs: ['en'],
    tags: ['first'],
    labels: { $type: 'com.core.label.defs#selfLabels', values: [{ val: 'graphic-media' }] },
    ...mentions(ben),
  })
  const gallery = await social.post(ann, {
    embed: { $type: 'app.example.embed.images', images: [{ image: picture, alt: 'halves' }] },
  })
  await social.post(ann, { embed: { $type: 'app.example.embed.video', video } })
  const bens = await social.post(ben)
  await social.reply(ann, bens)
  await social.quote(ann, bens)
  await social.like(ann, bens)
  await social.repost(ann, bens)
  for (const subject of [ben, cat]) await social.follow(ann, subject)
  await social.write(ann, `${graph}.block`, { subject: dan.did, createdAt })
  const list = await listOf(ann, 'curatelist', ben, cat)
  const blocked = await listOf(ann, 'modlist', dan)
  await social.write(ann, `${graph}.listblock`, { subject: blocked.uri, createdAt })
  const pack = { name: 'A pack', list: list.uri, feeds: [], createdAt }
  const starterPack = await social.write(ann, `${graph}.starterpack`, pack)
  const gate = { post: root.uri, createdAt }
  const rules = { allow: [{ $type: `${feed}.threadgate#followerRule` }], hiddenReplies: [] }
  await social.put(ann, `${feed}.threadgate`, keyOf(root), { ...gate, ...rules })
  const embedding = { embeddingRules: [{ $type: `${feed}.postgate#disableRule` }] }
  await social.put(ann, `${feed}.postgate`, keyOf(gallery), { ...gate, post: gallery.uri, ...embedding })
  await social.verify(ann, ben)
  const profile = { displayName: 'Ann Lived', description: 'Here for a year', avatar, banner: picture }
  await social.put(ann, 'app.example.actor.profile', 'self', { ...profile, pinnedPost: root, createdAt })
  await social.put(ann, 'app.example.actor.status', 'self', {
    status: 'app.example.actor.status#live',
    createdAt,
  })
  await social.put(ann, `${feed}.generator`, 'news', { did: ann.did, displayName: 'News', createdAt })
  const policies = { labelValues: ['rude'] }
  await social.put(ann, 'app.example.labeler.service', 'self', { policies, createdAt })
  await social.put(ann, 'app.example.notification.declaration', 'self', { allowSubscriptions: 'followers' })
  await social.put(ann, 'chat.example.actor.declaration', 'self', { allowIncoming: 'all' })
  const visibility = { hideFromAlgorithmicRecommendations: false }
  await social.put(ann, 'app.example.actor.contentVisibilityDeclaration', 'self', visibility)
  const messageMe = { messageMeUrl: 'https://germ.example', showButtonTo: 'everyone' }
  const germ = { version: '1.0.0', currentKey: { $bytes: 'AAAA' }, messageMe }
  await social.put(ann, 'com.germnetwork.declaration', 'self', germ)
  const lexicon = { lexicon: 1, id: 'com.example.note', defs: {} }
  await social.put(ann, 'com.core.lexicon.schema', lexicon.id, lexicon)
  await social.write(ann, 'com.example.note', { text: 'of an app of its own' })
  await respond({ root, starterPack, gallery })
  return { root, gallery, list, picture: picture.ref.$link, followedBy: [ben.did, cat.did] }
}

async function listOf(author: Account, purpose: string, ...members: Account[]): Promise<Ref> {
  const record = { name: purpose, purpose: `app.example.graph.defs#${purpose}`, createdAt }
  const list = await social.write(author, `${graph}.list`, record)
  for (const { did } of members) {
    await social.write(author, `${graph}.listitem`, { list: list.uri, subject: did, createdAt })
  }
  return list
}

/** What others write about the account: a notification of each reason, blocks and lists. */
async function respond({ root, starterPack, gallery }: Record<'root' | 'starterPack' | 'gallery', Ref>) {
  const { ann, ben, cat, dan } = people
  for (const author of [ben, cat]) await social.follow(author, ann)
  await social.subscribe(ann, ben, true, true)
  await social.subscribe(ben, ann, true, true)
  await social.post(ben, mentions(ann))
  await social.reply(ben, root)
  await social.quote(ben, root)
  await social.like(ben, root)
  const repost = await social.repost(ben, root)
  await social.repost(ann, gallery)
  const anns = await social.repost(ann, await social.post(cat))
  const via = await social.post(cat)
  await social.like(cat, root, repost)
  await social.like(cat, via, anns)
  await social.repost(cat, via, anns)
  const joined = { displayName: 'Cat', joinedViaStarterPack: starterPack, createdAt }
  await social.put(cat, 'app.example.actor.profile', 'self', joined)
  await social.verify(ben, ann)
  await social.remove(cat, await social.verify(cat, ann))
  const list = await listOf(cat, 'modlist', ann, ben)
  await social.write(dan, `${graph}.block`, { subject: ann.did, createdAt })
  await social.write(dan, `${graph}.listblock`, { subject: list.uri, createdAt })
  await call('app.example.graph.muteActorList', { list: list.uri }, dan)
  await call('app.example.graph.muteActor', { actor: ann.did }, dan)
  await call('app.example.graph.muteThread', { root: root.uri }, dan)
  await call('app.example.bookmark.createBookmark', { ...root }, ben)
}

/** Stores what is private: mutes, bookmarks, drafts, preferences, reports, read notifications. */
export async function keepPrivate({ root, gallery, picture }: Made): Promise<void> {
  const { ann, ben, cat, dan, olga } = people
  const muted = await listOf(cat, 'modlist', dan)
  await call('app.example.graph.muteActor', { actor: dan.did }, ann)
  await call('app.example.graph.muteActorList', { list: muted.uri }, ann)
  await call('app.example.graph.muteThread', { root: (await social.post(dan)).uri }, ann)
  for (const post of [root, await social.post(ben)]) {
    await call('app.example.bookmark.createBookmark', { ...post }, ann)
  }
  await call('app.example.draft.createDraft', { draft: { posts: [{ text: 'not finished' }] } }, ann)
  const adult = { $type: 'app.example.actor.defs#adultContentPref', enabled: true }
  await call('app.example.actor.putPreferences', { preferences: [adult] }, ann)
  const off = { list: true, push: false }
  await call('app.example.notification.putPreferencesV2', { verified: off }, ann)
  const seenAt = server.clock.now().toISOString()
  await call('app.example.notification.updateSeen', { seenAt }, ann)
  const reasonType = 'com.core.moderation.defs#reasonSpam'
  const about = (did: string) => ({ $type: 'com.core.admin.defs#repoRef', did })
  const record = { $type: 'com.core.repo.strongRef', ...gallery }
  await call('com.core.moderation.createReport', { reasonType, subject: about(dan.did) }, ann)
  await call('com.core.moderation.createReport', { reasonType, subject: record }, dan)
  const { id } = await call('com.core.moderation.createReport', { reasonType, subject: about(ann.did) }, dan)
  await call('com.core.admin.closeReport', { id, resolution: 'dismissed' }, olga)
  const takedown = { applied: true, ref: 'a reference' }
  await call('com.core.admin.updateSubjectStatus', { subject: record, takedown }, olga)
  const blob = { $type: 'com.core.admin.defs#repoBlobRef', did: ann.did, cid: picture }
  await call('com.core.admin.updateSubjectStatus', { subject: blob, takedown }, olga)
}
