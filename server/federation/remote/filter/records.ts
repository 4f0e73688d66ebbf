/** The rules by which records of other servers are stored. */
import { collections } from '../../../platform/config/nsids.ts'
import { linkPaths } from '../../../repository/format/link-paths.ts'
import { feedItemOf } from '../../../repository/records/feed-item.ts'
import type { Link } from '../../../repository/tables/links.ts'
import type { Reader } from '../../../store/database.ts'
import { hostedAmong } from '../../../store/tables/accounts.ts'
import * as interest from '../../tables/remote-interest.ts'
import type { RemoteContent, RemoteName } from '../read-change.ts'

/**
 * Why something of another server is left out. `local`: its author has an account here. `unknown`: its author has no stored record or
 * reference here. `unrelated`: it has nothing to do with the accounts here. `unwelcome`: the accounts that it refers
 * to mute or block its author. `unreadable`: it is no valid record of its collection.
 */
export type Reason = 'local' | 'unknown' | 'unrelated' | 'unwelcome' | 'unreadable'

/**
 * Why a record is stored: it refers to an account here, an account here watches its author, or a record refers to it. Records for the
 * last two purposes may be evicted.
 */
export type Purpose = 'lasting' | 'feed' | 'subject'

/** Whether a record is stored. */
export type RecordDecision = { readonly keep: true; readonly purpose: Purpose } | LeftOut

export interface LeftOut {
  readonly keep: false
  readonly reason: Reason
}

/** Posts and reposts of watched actors are stored, and kept for this long. */
export const feedMs = 90 * 24 * 60 * 60_000

/** Collections whose records are stored if they refer to an account here or to its records. */
const responses = new Set<string>([
  collections.profile,
  collections.like,
  collections.post,
  collections.repost,
  collections.block,
  collections.follow,
  collections.verification,
])

/** Collections whose records are stored if a record here refers to them. */
const subjects = new Set<string>([
  collections.generator,
  collections.post,
  collections.repost,
  collections.list,
  collections.starterpack,
])

const gates: ReadonlyMap<string, number> = new Map([
  [collections.threadgate, linkPaths['feed.threadgate:post']],
  [collections.postgate, linkPaths['feed.postgate:post']],
])

interface Deps {
  readonly db: Reader
  readonly now: Date
}

/** How a record comes. */
export interface Arrival {
  /** False for a stored one, whose author may be muted by now. */
  readonly isNew: boolean
  /** Whether it is new to its author's server too: then its age is not asked for, which some clients set to that of an imported text. */
  readonly isLive: boolean
}

export const leaveOut = (reason: Reason): LeftOut => ({ keep: false, reason })
const keepFor = (purpose: Purpose): RecordDecision => ({ keep: true, purpose })
const [lasting, subject, feed] = [keepFor('lasting'), keepFor('subject'), keepFor('feed')]
const [unknown, unrelated, unwelcome] = [leaveOut('unknown'), leaveOut('unrelated'), leaveOut('unwelcome')]

export function judgeRecord(
  deps: Deps,
  name: RemoteName,
  content: RemoteContent,
  { isNew, isLive }: Arrival,
): RecordDecision {
  const { db } = deps
  const { did, kind } = name
  const concerned = responses.has(kind) ? accountsIn(deps, content.links) : []
  if (concerned.length > 0) {
    // A block also applies to accounts that mute its author.
    const isStored = !isNew || kind === collections.block
    if (isStored || interest.isWelcome(db, did, concerned)) return lasting
  }
  if (kind === collections.listitem) return isItemOfUsedList(deps, name, content) ? subject : unrelated
  if (kind === collections.list && interest.isUsedList(db, name)) return subject
  if (name.rkey === 'self') return interest.isKnown(db, did) ? lasting : unknown
  if (gates.has(kind)) return isGateOfPost(deps, name, content) ? lasting : unrelated
  if (subjects.has(kind) && interest.isSubject(db, name)) return subject
  if (isForFeeds(deps, name, content, isLive)) return feed
  return concerned.length > 0 ? unwelcome : unrelated
}

/** The accounts here that links refer to, by themselves or by a record that they have. */
function accountsIn({ db }: Deps, links: readonly Link[]): string[] {
  const hosted = hostedAmong(
    db,
    links.map(({ did }) => did),
  )
  const isMeant = ({ did, record }: Link) => !record || interest.isStored(db, { did, ...record })
  return [...hosted].filter((did) => links.some((link) => link.did === did && isMeant(link)))
}

/** Whether a record is the gate of a post that is stored: it has the key of the post. */
function isGateOfPost({ db }: Deps, { did, rkey, kind }: RemoteName, { links }: RemoteContent): boolean {
  const post = links.find(({ path }) => path === gates.get(kind))
  return post?.did === did && post.record?.rkey === rkey && interest.isStored(db, { did, ...post.record })
}

/** Whether a record puts an actor on a list of its author by which an account here blocks or mutes. */
function isItemOfUsedList({ db }: Deps, { did }: RemoteName, { links }: RemoteContent): boolean {
  const list = links.find(({ path }) => path === linkPaths['graph.listitem:list'])
  return list?.did === did && list.record !== undefined && interest.isUsedList(db, { did, ...list.record })
}

function isForFeeds(
  { db, now }: Deps,
  { did, kind }: RemoteName,
  { record }: RemoteContent,
  isLive: boolean,
): boolean {
  const item = feedItemOf(kind, record)
  if (!item) return false
  const isOld = !isLive && (item.createdAt ?? 0) < now.getTime() - feedMs
  return !isOld && interest.isRead(db, did)
}
