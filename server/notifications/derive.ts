/**
 * Derives notifications from records, with one entry per collection. Records may be stored unvalidated: malformed fields create
 * no notification. Every `$type` is canonical here, also in records that were written under an alias.
 */
import { isPlainObject, type LexMap, type LexValue } from '@atproto/lex-data'
import type { NewNotification } from '../store/tables/notifications.ts'
import type { Reason } from './reasons.ts'
import type { ReadSubject } from './subjects.ts'

export const followCollection = 'app.example.graph.follow'
export const postCollection = 'app.example.feed.post'
export const verificationCollection = 'app.example.graph.verification'
const repostCollection = 'app.example.feed.repost'
const starterPackCollection = 'app.example.graph.starterpack'

export interface SourceRecord {
  readonly did: string
  /** Canonical NSID. */
  readonly collection: string
  readonly uri: string
  readonly record: LexMap
}

type Derive = (record: LexMap, tools: { uri: string; read: ReadSubject }) => NewNotification[]

const derivations: Readonly<Record<string, Derive>> = {
  'app.example.feed.like': ({ subject, via }, { read }) => [
    ...forAuthorOf('like', read(subject)),
    ...forAuthorOf('like-via-repost', read(via, repostCollection)),
  ],
  [repostCollection]: ({ subject, via }, { read }) => [
    ...forAuthorOf('repost', read(subject)),
    ...forAuthorOf('repost-via-repost', read(via, repostCollection)),
  ],
  [postCollection]: ({ facets, reply, embed }, { read }) =>
    firstPerRecipient([
      ...mentionsIn(facets).flatMap((did) => forAccount('mention', did)),
      ...forAuthorOf('reply', read(member(reply, 'parent'), postCollection)),
      ...forAuthorOf('reply', read(member(reply, 'root'), postCollection)),
      ...forAuthorOf('quote', read(embeddedIn(embed), postCollection)),
    ]),
  [followCollection]: ({ subject }) => forAccount('follow', subject),
  [verificationCollection]: ({ subject }, { uri }) => forAccount('verified', subject, uri),
  'app.example.actor.profile': ({ joinedViaStarterPack }, { read }) =>
    forAuthorOf('starterpack-joined', read(joinedViaStarterPack, starterPackCollection)),
}

/** Notifications that a record creates, without subscribed-post. Authors never notify themselves. */
export function derive({ did, collection, uri, record }: SourceRecord, read: ReadSubject): NewNotification[] {
  const notifications = derivations[collection]?.(record, { uri, read }) ?? []
  return notifications.filter((notification) => notification.to !== did)
}

function forAccount(reason: Reason, did: unknown, reasonSubject?: string): NewNotification[] {
  return typeof did === 'string' ? [{ to: did, reason, reasonSubject }] : []
}

function forAuthorOf(reason: Reason, subject: { did: string; uri: string } | undefined): NewNotification[] {
  return forAccount(reason, subject?.did, subject?.uri)
}

/** One notification per account and post: mention before reply before quote. */
function firstPerRecipient(notifications: readonly NewNotification[]): NewNotification[] {
  const first = new Map<string, NewNotification>()
  for (const notification of notifications) {
    if (!first.has(notification.to)) first.set(notification.to, notification)
  }
  return [...first.values()]
}

/** DIDs in the mention facets of a post, unvalidated. */
function mentionsIn(facets: unknown): unknown[] {
  return list(facets)
    .flatMap((facet) => list(member(facet, 'features')))
    .filter((feature) => member(feature, '$type') === 'app.example.richtext.facet#mention')
    .map((feature) => member(feature, 'did'))
}

/** The reference to an embedded record, alone or with media. */
function embeddedIn(embed: unknown): unknown {
  switch (member(embed, '$type')) {
    case 'app.example.embed.record':
      return member(embed, 'record')
    case 'app.example.embed.recordWithMedia':
      return member(member(embed, 'record'), 'record')
    default:
      return undefined
  }
}

function member(value: unknown, name: string): LexValue | undefined {
  return isPlainObject(value) ? (value as LexMap)[name] : undefined
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
