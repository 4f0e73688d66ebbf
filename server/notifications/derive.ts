/**
 * Which records tell which accounts what, one entry a collection. Records may have been stored without validation: what does
 * not fit tells nobody anything. Every `$type` has our own name here, also where the record was written under an alias.
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

export interface DerivedFrom {
  readonly did: string
  /** By our own name. */
  readonly collection: string
  readonly uri: string
  readonly record: LexMap
}

type Derive = (record: LexMap, tools: { uri: string; read: ReadSubject }) => NewNotification[]

const derivations: Readonly<Record<string, Derive>> = {
  'app.example.feed.like': ({ subject, via }, { read }) => [
    ...about('like', read(subject)),
    ...about('like-via-repost', read(via, repostCollection)),
  ],
  [repostCollection]: ({ subject, via }, { read }) => [
    ...about('repost', read(subject)),
    ...about('repost-via-repost', read(via, repostCollection)),
  ],
  [postCollection]: ({ facets, reply, embed }, { read }) =>
    oncePerAccount([
      ...mentionsIn(facets).flatMap((did) => to('mention', did)),
      ...about('reply', read(member(reply, 'parent'), postCollection)),
      ...about('reply', read(member(reply, 'root'), postCollection)),
      ...about('quote', read(embeddedIn(embed), postCollection)),
    ]),
  [followCollection]: ({ subject }) => to('follow', subject),
  [verificationCollection]: ({ subject }, { uri }) => to('verified', subject, uri),
  'app.example.actor.profile': ({ joinedViaStarterPack }, { read }) =>
    about('starterpack-joined', read(joinedViaStarterPack, starterPackCollection)),
}

/** Whom a record tells what, but for the subscribers of its author. Nobody is told of what they did themselves. */
export function derive({ did, collection, uri, record }: DerivedFrom, read: ReadSubject): NewNotification[] {
  const notifications = derivations[collection]?.(record, { uri, read }) ?? []
  return notifications.filter((notification) => notification.to !== did)
}

function to(reason: Reason, did: unknown, reasonSubject?: string): NewNotification[] {
  return typeof did === 'string' ? [{ to: did, reason, reasonSubject }] : []
}

function about(reason: Reason, subject: { did: string; uri: string } | undefined): NewNotification[] {
  return to(reason, subject?.did, subject?.uri)
}

/** The first that concerns an account is the one that it is told. */
function oncePerAccount(notifications: readonly NewNotification[]): NewNotification[] {
  const first = new Map<string, NewNotification>()
  for (const notification of notifications) {
    if (!first.has(notification.to)) first.set(notification.to, notification)
  }
  return [...first.values()]
}

/** DIDs in the mention facets of a post. */
function mentionsIn(facets: unknown): unknown[] {
  return list(facets)
    .flatMap((facet) => list(member(facet, 'features')))
    .filter((feature) => member(feature, '$type') === 'app.example.richtext.facet#mention')
    .map((feature) => member(feature, 'did'))
}

/** The reference to the record that a post embeds, by itself or beside images. */
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
