/** Notification preferences: which reasons an account wants listed and pushed, and from which authors. */
import type { app } from '../../../lexicons/generated/index.ts'
import { existingAccount } from '../../repository/access/existing.ts'
import type { Reader, Writer } from '../../store/database.ts'
import * as stored from '../tables/notification-preferences.ts'
import type { Wanted } from '../tables/notifications.ts'
import { type Reason, reasons } from '../tables/reasons.ts'

export type Preferences = app.example.notification.defs.Preferences

/** `include` is absent for reasons that cannot be limited to followed accounts. */
interface Preference {
  readonly include?: 'all' | 'follows'
  readonly list: boolean
  readonly push: boolean
}

const fromEveryone = { include: 'all', list: true, push: true } as const
const always = { list: true, push: true } as const

/** Apply to every reason that the account has not changed. */
export const defaultPreferences: Preferences = {
  chat: fromEveryone,
  follow: fromEveryone,
  like: fromEveryone,
  likeViaRepost: fromEveryone,
  mention: fromEveryone,
  quote: fromEveryone,
  reply: fromEveryone,
  repost: fromEveryone,
  repostViaRepost: fromEveryone,
  starterpackJoined: always,
  subscribedPost: always,
  unverified: always,
  verified: always,
}

/** The preference of each reason. `contact-match` has no preference; the preference `chat` has no reason. */
const keyOf: Readonly<Record<Reason, Exclude<keyof Preferences, '$type'> | undefined>> = {
  like: 'like',
  repost: 'repost',
  follow: 'follow',
  mention: 'mention',
  reply: 'reply',
  quote: 'quote',
  'starterpack-joined': 'starterpackJoined',
  verified: 'verified',
  unverified: 'unverified',
  'like-via-repost': 'likeViaRepost',
  'repost-via-repost': 'repostViaRepost',
  'subscribed-post': 'subscribedPost',
  'contact-match': undefined,
}

export function preferencesOf(db: Reader, did: string): Preferences {
  const json = stored.find(db, did)
  return json === undefined ? defaultPreferences : { ...defaultPreferences, ...JSON.parse(json) }
}

type Changes = { readonly [Name in keyof Preferences]?: Preferences[Name] | undefined }

/** Stores the given preferences and keeps the others. @returns all preferences @throws AccountNotFound */
export function changePreferences(tx: Writer, did: string, changes: Changes): Preferences {
  existingAccount(tx, did)
  const given = Object.entries(changes).filter(([, preference]) => preference !== undefined)
  const preferences = { ...preferencesOf(tx, did), ...Object.fromEntries(given) }
  stored.put(tx, did, JSON.stringify(preferences))
  return preferences
}

/** Parameters of a request that narrow down the list, in addition to the preferences. */
export interface Filter {
  /** Only these reasons. */
  readonly reasons?: readonly string[] | undefined
  /** Only authors that the account follows. */
  readonly priority?: boolean | undefined
}

/** Returns the filter of an account for its list or for push. The list and the unread count share it, so that they agree. */
export function wantedBy(
  preferences: Preferences,
  use: 'list' | 'push',
  { reasons: only, priority }: Filter = {},
): Wanted {
  const preference = (reason: Reason): Preference => {
    const key = keyOf[reason]
    return key === undefined ? always : preferences[key]
  }
  const followed = reasons.filter((reason) => preference(reason)[use] && (!only || only.includes(reason)))
  const others = priority ? [] : followed.filter((reason) => preference(reason).include !== 'follows')
  return { followed, others }
}
