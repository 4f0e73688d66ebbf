/**
 * Derives notifications from the links of a record. `fan-out.ts` notifies subscribers of posts, `live-stream.ts` sends notifications to
 * connected clients.
 */
import type { Names } from '../../platform/config/aliases.ts'
import { collections } from '../../platform/config/nsids.ts'
import { linkPaths } from '../../repository/format/link-paths.ts'
import type { RecordEvent } from '../../repository/records/record-events.ts'
import type { Link } from '../../repository/tables/links.ts'
import type { NewNotification } from '../tables/notifications.ts'
import type { Reason } from '../tables/reasons.ts'

interface Rule {
  readonly reason: Reason
  /** Our name of the collection that the subject must be in, if given. */
  readonly subject?: string
  /** Whether an author notifies once per subject, however many records say the same. */
  readonly isOnce?: true
}

const isOnce = true

/** The notification of each link, if it has one. */
const rules: ReadonlyMap<number, Rule> = new Map([
  [linkPaths['feed.like:subject'], { reason: 'like', isOnce }],
  [linkPaths['feed.like:via'], { reason: 'like-via-repost', subject: collections.repost, isOnce }],
  [linkPaths['feed.repost:subject'], { reason: 'repost', isOnce }],
  [linkPaths['feed.repost:via'], { reason: 'repost-via-repost', subject: collections.repost, isOnce }],
  [linkPaths['feed.post:mention'], { reason: 'mention' }],
  [linkPaths['feed.post:reply.parent'], { reason: 'reply', subject: collections.post }],
  [linkPaths['feed.post:reply.root'], { reason: 'reply', subject: collections.post }],
  [linkPaths['feed.post:embed'], { reason: 'quote', subject: collections.post }],
  [linkPaths['graph.follow:subject'], { reason: 'follow', isOnce }],
  [linkPaths['graph.verification:subject'], { reason: 'verified', isOnce }],
  [
    linkPaths['actor.profile:joinedViaStarterPack'],
    { reason: 'starterpack-joined', subject: collections.starterpack },
  ],
])

/**
 * Notifications that a record creates, without subscribed-post. Authors never notify themselves.
 * @param links of a reply: with those to the posts above it, see `thread-links.ts`
 */
export function derive(
  { did, collection, links }: Pick<RecordEvent, 'did' | 'collection' | 'links'>,
  names: Names,
): NewNotification[] {
  const notifications = links
    .filter((link) => link.did !== did)
    .flatMap((link) => notificationOf(link, names))
  return collection === collections.post ? firstPerRecipient(notifications) : notifications
}

function notificationOf({ path, did, record }: Link, names: Names): NewNotification[] {
  const rule = rules.get(path)
  if (!rule) return []
  if (rule.subject && record && names.own(record.collection) !== rule.subject) return []
  const subject = record && { did, ...record }
  return [{ to: did, reason: rule.reason, subject, ...(rule.isOnce && { oncePer: path }) }]
}

/** One notification per account and post: mention before reply before quote. */
function firstPerRecipient(notifications: readonly NewNotification[]): NewNotification[] {
  const first = new Map<string, NewNotification>()
  for (const notification of notifications) {
    if (!first.has(notification.to)) first.set(notification.to, notification)
  }
  return [...first.values()]
}
