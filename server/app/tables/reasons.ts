/** The reasons of notifications. No other reason exists. */
export const reasons = [
  'like',
  'repost',
  'follow',
  'mention',
  'reply',
  'quote',
  'starterpack-joined',
  'verified',
  'unverified',
  'like-via-repost',
  'repost-via-repost',
  'subscribed-post',
  'contact-match',
] as const

export type Reason = (typeof reasons)[number]
