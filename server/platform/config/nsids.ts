/** Our names of collections and embeds, for modules that do not import the generated lexicons. `aliases.ts` maps them to the network's. */
import type { NsidString } from '@atproto/syntax'

export const collections = nsids({
  profile: 'app.example.actor.profile',
  status: 'app.example.actor.status',
  generator: 'app.example.feed.generator',
  like: 'app.example.feed.like',
  post: 'app.example.feed.post',
  postgate: 'app.example.feed.postgate',
  repost: 'app.example.feed.repost',
  threadgate: 'app.example.feed.threadgate',
  block: 'app.example.graph.block',
  follow: 'app.example.graph.follow',
  list: 'app.example.graph.list',
  listblock: 'app.example.graph.listblock',
  listitem: 'app.example.graph.listitem',
  starterpack: 'app.example.graph.starterpack',
  verification: 'app.example.graph.verification',
  labeler: 'app.example.labeler.service',
  /** Whose subscriptions an account accepts. */
  notifications: 'app.example.notification.declaration',
  /** Whose messages an account accepts. */
  chat: 'chat.example.actor.declaration',
  /** Where an account wants to be found. */
  visibility: 'app.example.actor.contentVisibilityDeclaration',
  /** The address of an account in the Germ messenger. */
  germ: 'com.germnetwork.declaration',
  /** Lexicons that an account publishes. */
  lexicon: 'com.core.lexicon.schema',
})

export const embeds = nsids({
  images: 'app.example.embed.images',
  gallery: 'app.example.embed.gallery',
  video: 'app.example.embed.video',
  record: 'app.example.embed.record',
  recordWithMedia: 'app.example.embed.recordWithMedia',
})

/** Types the names as NSIDs, not as literals: `Names` maps them to other ones. */
function nsids<Key extends string>(names: Record<Key, NsidString>): Readonly<Record<Key, NsidString>> {
  return names
}
