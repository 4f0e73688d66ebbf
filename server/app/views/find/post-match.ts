/** Whether a post matches a query. */
import { app } from '../../../../lexicons/generated/index.ts'
import { actorById } from '../load/actors.ts'
import type { ViewContext } from '../load/context.ts'
import { embeddedUri, keyOf, type Post, rootUri } from '../load/posts.ts'
import { relationTo } from '../load/relations.ts'
import { actorIdByIdentifier } from './named.ts'
import type { PostFilter, PostQuery } from './post-query.ts'
import { patternOf } from './terms.ts'

const { facet } = app.example.richtext
const { external, gallery, images, recordWithMedia, video } = app.example.embed

type Check = (post: Post) => boolean

/** Returns a function that checks whether a post has everything that the query asks for. */
export function matcherOf(ctx: ViewContext, query: PostQuery): Check {
  const terms = query.terms.map(patternOf)
  const checks: readonly Check[] = [
    (post) => {
      const text = textOf(post)
      return terms.every((pattern) => pattern.test(text))
    },
    (post) => query.tags.every((tag) => tagsOf(post).includes(tag)),
    ...filterChecks(ctx, query.any),
    ...filterChecks(ctx, query.none).map(
      (has): Check =>
        (post) =>
          !has(post),
    ),
    ...kindChecks(ctx, query),
  ]
  return (post) => checks.every((check) => check(post))
}

/** Returns for each list of a filter whether a post has one of its values. */
function filterChecks(ctx: ViewContext, filter: PostFilter): Check[] {
  const { langs, domains } = filter
  const urls = filter.urls?.map(withoutSlash)
  const embeds = filter.embeds?.map((uri) => keyText(ctx, uri))
  const authors = filter.authors?.map((identifier) => actorIdByIdentifier(ctx, identifier))
  const mentions = filter.mentions?.flatMap((identifier) => didOf(ctx, identifier) ?? [])
  return [
    authors && ((post: Post) => authors.includes(post.actor)),
    mentions && ((post: Post) => mentionsOf(post).some((did) => mentions.includes(did))),
    filter.tags && ((post: Post) => tagsOf(post).some((tag) => filter.tags?.includes(tag))),
    langs &&
      ((post: Post) =>
        (post.value.langs ?? []).some((tag) => langs.some((lang) => isLanguage(tag.toLowerCase(), lang)))),
    domains &&
      ((post: Post) => linksOf(post).some((link) => domains.some((domain) => isOnDomain(link, domain)))),
    urls && ((post: Post) => linksOf(post).some((link) => urls.includes(withoutSlash(link)))),
    embeds &&
      ((post: Post) => {
        const uri = embeddedUri(post)
        return uri !== undefined && embeds.includes(keyText(ctx, uri))
      }),
  ].filter((check) => check !== undefined)
}

/** Returns the conditions on media, replies and follows. */
function kindChecks(ctx: ViewContext, query: PostQuery): Check[] {
  const { media, replies, parent, root, isFollowed } = query
  const isAt = (uri: string | undefined, wanted: string) =>
    uri !== undefined && keyText(ctx, uri) === keyText(ctx, wanted)
  return [
    media && ((post: Post) => hasMedia(post, media)),
    replies && ((post: Post) => (post.value.reply !== undefined) === (replies === 'only')),
    parent !== undefined && ((post: Post) => isAt(post.value.reply?.parent.uri, parent)),
    root !== undefined && ((post: Post) => isAt(rootUri(post), root)),
    isFollowed && ((post: Post) => relationTo(ctx, post.actor).following !== undefined),
  ].filter((check) => typeof check === 'function')
}

/** The record at a URI as a text, the same for each name of its author and collection. */
function keyText(ctx: ViewContext, uri: string): string {
  return keyOf(ctx, uri)?.join(' ') ?? uri
}

function didOf(ctx: ViewContext, identifier: string): string | undefined {
  const id = actorIdByIdentifier(ctx, identifier)
  return id === undefined ? undefined : actorById(ctx, id).did
}

function mediaOf({ value: { embed } }: Post) {
  return embed && recordWithMedia.$isTypeOf(embed) ? embed.media : embed
}

function hasMedia(post: Post, kind: 'any' | 'video'): boolean {
  const media = mediaOf(post)
  if (!media) return false
  if (video.$isTypeOf(media)) return true
  return kind === 'any' && (images.$isTypeOf(media) || gallery.$isTypeOf(media))
}

/** The text of a post, and the descriptions of its images. */
function textOf(post: Post): string {
  const { text } = post.value
  const media = mediaOf(post)
  if (!media || !images.$isTypeOf(media)) return text
  return [text, ...media.images.map(({ alt }) => alt)].join('\n')
}

function featuresOf({ value: { facets = [] } }: Post) {
  return facets.flatMap(({ features }) => features)
}

function tagsOf(post: Post): string[] {
  const inText = featuresOf(post).flatMap((feature) => (facet.tag.$isTypeOf(feature) ? [feature.tag] : []))
  return [...(post.value.tags ?? []), ...inText].map((tag) => tag.toLowerCase())
}

function mentionsOf(post: Post): string[] {
  return featuresOf(post).flatMap((feature) => (facet.mention.$isTypeOf(feature) ? [feature.did] : []))
}

function linksOf(post: Post): string[] {
  const links = featuresOf(post).flatMap((feature) => (facet.link.$isTypeOf(feature) ? [feature.uri] : []))
  const media = mediaOf(post)
  return media && external.$isTypeOf(media) ? [...links, media.external.uri] : links
}

/** Whether a language tag is of a language: `en-GB` is of `en`. */
function isLanguage(tag: string, lang: string): boolean {
  return tag === lang || tag.startsWith(`${lang}-`)
}

function isOnDomain(link: string, domain: string): boolean {
  const host = URL.parse(link)?.hostname
  return host === domain || host?.endsWith(`.${domain}`) === true
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, '')
}
