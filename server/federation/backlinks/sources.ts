/**
 * The sources of links, as backlink services call them: a collection and the path of the field that refers to the subject. Services
 * index the network, so collections have the names of the network.
 */

const posts = 'app.bsky.feed.post'

/** Sources of the links to an account: follows and mentions. */
export const sourcesOfAccount: readonly string[] = [
  'app.bsky.graph.follow:subject',
  `${posts}:facets[app.bsky.richtext.facet].features[app.bsky.richtext.facet#mention].did`,
]

/** Sources of the links to a post: likes, reposts, replies in its thread, quotes without and with media. */
export const sourcesOfPost: readonly string[] = [
  'app.bsky.feed.like:subject.uri',
  'app.bsky.feed.repost:subject.uri',
  `${posts}:reply.parent.uri`,
  `${posts}:reply.root.uri`,
  `${posts}:embed.record.uri`,
  `${posts}:embed.record.record.uri`,
]

/** Collections whose records are fetched when any field refers to an account here: a like may also name a repost, a profile a starter pack. */
const collections: ReadonlySet<string> = new Set([
  ...[...sourcesOfAccount, ...sourcesOfPost].map(collectionOf),
  'app.bsky.actor.profile',
  'app.bsky.graph.block',
  'app.bsky.graph.verification',
])

/** Returns the collection of a source. */
export function collectionOf(source: string): string {
  return source.split(':', 1)[0] ?? ''
}

/** Whether records of a collection are of interest when they refer to an account here. */
export function isCollectionOfInterest(collection: string): boolean {
  return collections.has(collection)
}
