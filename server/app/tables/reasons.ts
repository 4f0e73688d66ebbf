/** All reasons of notifications, with their numbers in the database, which stay as they are. */
export const reasonNumbers = {
  like: 1,
  repost: 2,
  follow: 3,
  mention: 4,
  reply: 5,
  quote: 6,
  'starterpack-joined': 7,
  verified: 8,
  unverified: 9,
  'like-via-repost': 10,
  'repost-via-repost': 11,
  'subscribed-post': 12,
  'contact-match': 13,
} as const

export type Reason = keyof typeof reasonNumbers

export const reasons = Object.keys(reasonNumbers) as Reason[]
