/** Groups of notifications: those of one kind about one thing that arrived within two days. */
import type { Notification } from '../tables/notifications.ts'
import type { Reason } from '../tables/reasons.ts'

/** Newest first, at least one. */
export type Group = readonly [newest: Notification, ...older: Notification[]]

/** The reasons of each feed that clients show; undefined: all. `people-i-follow` has all reasons, of followed authors. */
const feeds: Readonly<Record<string, readonly Reason[] | undefined>> = {
  conversations: ['reply', 'quote', 'mention'],
  followers: ['follow'],
  activity: ['subscribed-post'],
}

/** Returns the filter of a feed; any other name stands for all notifications. */
export function filterOf(feed: string) {
  return {
    reasons: Object.hasOwn(feeds, feed) ? feeds[feed] : undefined,
    priority: feed === 'people-i-follow',
  }
}

const windowMs = 48 * 60 * 60_000

interface Options {
  /** Maximum number of groups. */
  readonly limit: number
  readonly feed: string
  /** Whether an account that the viewer followed before follows it: such a notification stays single. */
  readonly isFollowBack: (notification: Notification) => boolean
}

/**
 * Groups notifications.
 * @param found newest first
 * @returns the groups, and the notifications that they contain, up to the first one that needs one group more than the limit
 */
export function groupsOf(
  found: readonly Notification[],
  options: Options,
): { groups: Group[]; used: readonly Notification[] } {
  const groups: [Notification, ...Notification[]][] = []
  const newest = new Map<string, [Notification, ...Notification[]]>()
  for (const [at, notification] of found.entries()) {
    const key = keyOf(notification, options)
    const group = key === undefined ? undefined : newest.get(key)
    if (group && Date.parse(group[0].indexedAt) - Date.parse(notification.indexedAt) <= windowMs) {
      group.push(notification)
      continue
    }
    if (groups.length === options.limit) return { groups, used: found.slice(0, at) }
    const next: [Notification] = [notification]
    groups.push(next)
    if (key !== undefined) newest.set(key, next)
  }
  return { groups, used: found }
}

/** Returns what the members of a group have in common; undefined for a notification that stays single. */
function keyOf(notification: Notification, { feed, isFollowBack }: Options): string | undefined {
  const { reason, reasonSubject, author } = notification
  switch (reason) {
    case 'like':
    case 'repost':
    case 'like-via-repost':
    case 'repost-via-repost':
      return `${reason} ${reasonSubject}`
    case 'follow':
      return feed === 'followers' || isFollowBack(notification) ? undefined : reason
    case 'subscribed-post':
      return `${reason} ${author}`
    default:
      return undefined
  }
}
