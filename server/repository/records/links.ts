/**
 * Derives links from records, with one entry per collection. Records may be stored unvalidated: malformed fields create no
 * link. Every `$type` is ours here.
 */
import { isPlainObject, type LexMap, type LexValue } from '@atproto/lex-data'
import { isValidDid } from '@atproto/syntax'
import { collections, embeds } from '../../platform/config/nsids.ts'
import { linkPaths } from '../format/link-paths.ts'
import type { Link } from '../tables/links.ts'
import type { ReadSubject } from './subjects.ts'

/** A post has at most 300 graphemes, room for fewer mentions. */
const maxMentions = 100

type Derive = (record: LexMap, read: ReadSubject) => (Link | undefined)[]

const derivations: Readonly<Record<string, Derive>> = {
  [collections.like]: ({ subject, via }, read) => [
    toRecord('feed.like:subject', read(uriIn(subject))),
    toRecord('feed.like:via', read(uriIn(via))),
  ],
  [collections.repost]: ({ subject, via }, read) => [
    toRecord('feed.repost:subject', read(uriIn(subject))),
    toRecord('feed.repost:via', read(uriIn(via))),
  ],
  [collections.post]: ({ facets, reply, embed }, read) => [
    ...mentionsIn(facets).map((did) => toActor('feed.post:mention', did)),
    toRecord('feed.post:reply.parent', read(uriIn(member(reply, 'parent')))),
    toRecord('feed.post:reply.root', read(uriIn(member(reply, 'root')))),
    toRecord('feed.post:embed', read(uriIn(embeddedIn(embed)))),
  ],
  [collections.threadgate]: ({ post }, read) => [toRecord('feed.threadgate:post', read(post))],
  [collections.postgate]: ({ post }, read) => [toRecord('feed.postgate:post', read(post))],
  [collections.follow]: ({ subject }) => [toActor('graph.follow:subject', subject)],
  [collections.block]: ({ subject }) => [toActor('graph.block:subject', subject)],
  [collections.listitem]: ({ subject, list }, read) => [
    toActor('graph.listitem:subject', subject),
    toRecord('graph.listitem:list', read(list, collections.list)),
  ],
  [collections.listblock]: ({ subject }, read) => [
    toRecord('graph.listblock:subject', read(subject, collections.list)),
  ],
  [collections.starterpack]: ({ list }, read) => [
    toRecord('graph.starterpack:list', read(list, collections.list)),
  ],
  [collections.verification]: ({ subject }) => [toActor('graph.verification:subject', subject)],
  [collections.profile]: ({ joinedViaStarterPack }, read) => [
    toRecord('actor.profile:joinedViaStarterPack', read(uriIn(joinedViaStarterPack))),
  ],
}

/** The links of a record; of a post the mentions first, then reply and embed. @param collection our name of it */
export function linksOf(collection: string, record: LexMap, read: ReadSubject): Link[] {
  return derivations[collection]?.(record, read).filter((link) => link !== undefined) ?? []
}

function toActor(path: keyof typeof linkPaths, did: unknown): Link | undefined {
  return typeof did === 'string' && isValidDid(did) ? { path: linkPaths[path], did } : undefined
}

function toRecord(path: keyof typeof linkPaths, subject: ReturnType<ReadSubject>): Link | undefined {
  return subject && { path: linkPaths[path], did: subject.did, record: subject }
}

/** Distinct DIDs in the mention facets of a post, unvalidated. */
function mentionsIn(facets: unknown): unknown[] {
  const dids = list(facets)
    .flatMap((facet) => list(member(facet, 'features')))
    .filter((feature) => member(feature, '$type') === 'app.example.richtext.facet#mention')
    .map((feature) => member(feature, 'did'))
  return [...new Set(dids)].slice(0, maxMentions)
}

/** The reference to an embedded record, alone or with media. */
function embeddedIn(embed: unknown): unknown {
  switch (member(embed, '$type')) {
    case embeds.record:
      return member(embed, 'record')
    case embeds.recordWithMedia:
      return member(member(embed, 'record'), 'record')
    default:
      return undefined
  }
}

/** The URI of a strong reference (com.core.repo.strongRef). */
function uriIn(reference: unknown): unknown {
  return member(reference, 'uri')
}

function member(value: unknown, name: string): LexValue | undefined {
  return isPlainObject(value) ? (value as LexMap)[name] : undefined
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
