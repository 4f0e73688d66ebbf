/** The notification reasons of each filter. */
export const filters = {
  all: [],
  mentions: ['mention', 'reply', 'quote'],
  likes: ['like', 'like-via-repost'],
  reposts: ['repost', 'repost-via-repost'],
  follows: ['follow', 'starterpack-joined', 'contact-match'],
  posts: ['subscribed-post'],
  verification: ['verified', 'unverified'],
} as const satisfies Record<string, readonly string[]>

export type Filter = keyof typeof filters
