/** Views of groups of notifications, and of what they refer to. */
import type { AtUriString } from '@atproto/syntax'
import { app } from '../../../lexicons/generated/index.ts'
import { recordUri } from '../../repository/records/record-uri.ts'
import { recordJson } from '../../repository/records/record-view.ts'
import { isObject, isString } from '../../util/json.ts'
import type { Notification } from '../tables/notifications.ts'
import type { ViewContext } from '../views/load/context.ts'
import type { Group } from './groups.ts'
import { createRelatedViews, isOf, type Reference, type RelatedView } from './related-views.ts'

const defs = app.example.notification.getGroupedNotifications
const { feed, graph: lexicons } = app.example

type GroupView = app.example.notification.getGroupedNotifications.Group

/** Members of a group whose authors and posts are shown. */
const shownMembers = 10

interface Options {
  /** Notifications up to it are read. */
  readonly seenAt: string | undefined
  readonly isFollowBack: (notification: Notification) => boolean
}

/** Returns the views of groups. A group whose subject is no longer visible is left out. */
export function groupViews(
  ctx: ViewContext,
  groups: readonly Group[],
  options: Options,
): { groups: GroupView[]; relatedViews: RelatedView[] } {
  const shown = groups.flatMap((group) => {
    const kind = kindOf(ctx, group, options)
    return kind ? { group, kind } : []
  })
  const related = createRelatedViews(ctx)
  related.load(shown.flatMap(({ group, kind }) => referencesOf(group, kind)))
  const visible = shown.filter(({ kind }) => subjectsOf(kind).every(related.isVisible))
  return {
    groups: visible.map(({ group, kind }) => ({
      id: String(group[0].id),
      isRead: options.seenAt !== undefined && group[0].indexedAt <= options.seenAt,
      indexedAt: group[0].indexedAt,
      count: group.length,
      kind,
    })),
    relatedViews: related.views(visible.flatMap(({ group, kind }) => referencesOf(group, kind))),
  }
}

type Kind = GroupView['kind']

/** Returns undefined for a notification whose record is not as its reason has it. */
function kindOf(ctx: ViewContext, group: Group, { isFollowBack }: Options): Kind | undefined {
  const [newest] = group
  const { author: actor, reason } = newest
  const [post, parent] = [uriOf(newest), uriAt(newest, 'reply', 'parent')]
  const subject = newest.reasonSubject ?? undefined
  switch (reason) {
    case 'follow':
      return isFollowBack(newest)
        ? defs.followBackNotification.$build({ actor, starterPack: packOf(ctx, newest) })
        : defs.followGroup.$build({ items: group.map((follow) => followItem(ctx, follow)) })
    case 'subscribed-post':
      return defs.subscribedPostGroup.$build({ items: group.map(postItem) })
    case 'reply':
      return parent && defs.replyNotification.$build({ post, parent })
    case 'quote':
      return defs.quoteNotification.$build({ post, parent })
    case 'mention':
      return defs.mentionNotification.$build({ post, parent })
    case 'verified':
      return defs.verifiedNotification.$build({ actor })
    case 'unverified':
      return defs.unverifiedNotification.$build({ actor })
    case 'starterpack-joined':
      return subject && defs.starterPackJoinedNotification.$build({ actor, starterPack: subject })
    case 'contact-match':
      return defs.contactMatchNotification.$build({ actor })
    default:
      return subject && responseOf(ctx, group, subject)
  }
}

/** The kinds of likes and reposts. */
function responseOf(ctx: ViewContext, group: Group, subject: AtUriString): Kind | undefined {
  const items = group.map(({ author }) => ({ actor: author }))
  const post = uriAt(group[0], 'subject')
  switch (group[0].reason) {
    case 'like':
      return isOf(ctx, subject, feed.generator.$type)
        ? defs.generatorLikeGroup.$build({ generator: subject, items })
        : defs.likeGroup.$build({ post: subject, items })
    case 'repost':
      return defs.repostGroup.$build({ post: subject, items })
    case 'like-via-repost':
      return post && defs.likeViaRepostGroup.$build({ post, viaRepost: subject, items })
    default:
      return post && defs.repostViaRepostGroup.$build({ post, viaRepost: subject, items })
  }
}

const followItem = (ctx: ViewContext, follow: Notification) => ({
  actor: follow.author,
  starterPack: packOf(ctx, follow),
})

const postItem = (notification: Notification) => ({ actor: notification.author, post: uriOf(notification) })

/** The posts, feed generators and starter packs without which a kind cannot be shown. */
function subjectsOf(kind: Kind): AtUriString[] {
  if (defs.subscribedPostGroup.$isTypeOf(kind)) return kind.items.slice(0, 1).map(({ post }) => post)
  const { post, generator } = kind as { post?: AtUriString; generator?: AtUriString }
  return [post, generator].filter((uri) => uri !== undefined)
}

/** DIDs and URIs of what is shown beside a group. */
function referencesOf(group: Group, kind: Kind): Reference[] {
  const members =
    (kind as { items?: readonly Partial<Record<'post' | 'starterPack', AtUriString>>[] }).items ?? []
  const { parent, starterPack } = kind as Partial<Record<'parent' | 'starterPack', AtUriString>>
  const ofMembers = members.slice(0, shownMembers).flatMap((item) => [item.post, item.starterPack])
  return [
    ...group.slice(0, shownMembers).map(({ author }) => author),
    ...[...subjectsOf(kind), parent, starterPack, ...ofMembers].filter((uri) => uri !== undefined),
  ]
}

function uriOf({ author, collection, rkey }: Notification): AtUriString {
  return recordUri(author, collection, rkey)
}

/** Returns the starter pack through which an account found the viewer. */
function packOf(ctx: ViewContext, follow: Notification): AtUriString | undefined {
  const via = uriAt(follow, 'via')
  return via !== undefined && isOf(ctx, via, lexicons.starterpack.$type) ? via : undefined
}

/** Returns the URI of a reference in the record of a notification. */
function uriAt({ bytes }: Notification, ...path: string[]): AtUriString | undefined {
  let value: unknown = recordJson(bytes)
  for (const name of [...path, 'uri']) value = isObject(value) ? value[name] : undefined
  return isString(value) && value.startsWith('at://') ? (value as AtUriString) : undefined
}
