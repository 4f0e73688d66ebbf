/**
 * The fields of records that refer to an account or a record, as numbers for table `links`. Never renumber. The names leave the
 * authority of the collection out: the network has another one than we.
 */
export const linkPaths = {
  'feed.like:subject': 1,
  'feed.like:via': 2,
  'feed.repost:subject': 3,
  'feed.repost:via': 4,
  'feed.post:reply.parent': 5,
  'feed.post:reply.root': 6,
  /** A record embedded alone or with media. */
  'feed.post:embed': 7,
  'feed.post:mention': 8,
  'graph.follow:subject': 9,
  'graph.block:subject': 10,
  'graph.listitem:subject': 11,
  'graph.listitem:list': 12,
  'graph.listblock:subject': 13,
  'graph.verification:subject': 14,
  'actor.profile:joinedViaStarterPack': 15,
  'graph.starterpack:list': 16,
  'feed.threadgate:post': 17,
  'feed.postgate:post': 18,
} as const

export type LinkPath = (typeof linkPaths)[keyof typeof linkPaths]

/** Short names of paths, for statements. */
export const paths = {
  like: linkPaths['feed.like:subject'],
  repost: linkPaths['feed.repost:subject'],
  reply: linkPaths['feed.post:reply.parent'],
  root: linkPaths['feed.post:reply.root'],
  quote: linkPaths['feed.post:embed'],
  mention: linkPaths['feed.post:mention'],
  threadGate: linkPaths['feed.threadgate:post'],
  postGate: linkPaths['feed.postgate:post'],
  follow: linkPaths['graph.follow:subject'],
  block: linkPaths['graph.block:subject'],
  /** From an item of a list. */
  member: linkPaths['graph.listitem:subject'],
  list: linkPaths['graph.listitem:list'],
  listBlock: linkPaths['graph.listblock:subject'],
  starterPack: linkPaths['actor.profile:joinedViaStarterPack'],
} as const

/** SQL list of the paths whose subject is an actor; the subject of all others is a record. */
export const actorPaths = '(8, 9, 10, 11, 14)'

/** SQL list of the paths that count every record; the others count each actor once. */
export const countedByRecord = '(5, 6, 7)'
