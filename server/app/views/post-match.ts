/** Whether a post matches a query. */

import { app } from '../../../lexicons/generated/index.ts'
import type { ViewContext } from './context.ts'
import { actorIdByIdentifier } from './find.ts'
import type { Post } from './load-posts.ts'
import type { PostQuery } from './post-query.ts'
import { actorById } from './profiles.ts'

const { facet } = app.example.richtext
const { external, images, recordWithMedia } = app.example.embed

/** Returns a function that checks whether a post has everything that the query asks for. */
export function matcherOf(ctx: ViewContext, query: PostQuery): (post: Post) => boolean {
  const { tags, lang, domain, url } = query
  const terms = query.terms.map(patternOf)
  const mentioned = query.mentions === undefined ? undefined : didOf(ctx, query.mentions)
  return (post) => {
    const [text, links] = [textOf(post), linksOf(post)]
    return (
      terms.every((pattern) => pattern.test(text)) &&
      tags.every((tag) => tagsOf(post).includes(tag)) &&
      (query.mentions === undefined || mentionsOf(post).some((did) => did === mentioned)) &&
      (lang === undefined || (post.value.langs ?? []).some((one) => isLanguage(one.toLowerCase(), lang))) &&
      (domain === undefined || links.some((link) => isOnDomain(link, domain))) &&
      (url === undefined || links.some((link) => withoutSlash(link) === withoutSlash(url)))
    )
  }
}

function didOf(ctx: ViewContext, identifier: string): string | undefined {
  const id = actorIdByIdentifier(ctx, identifier)
  return id === undefined ? undefined : actorById(ctx, id).did
}

/** A term matches at the beginning of a word, in any letter case. Scripts without spaces have no words. */
function patternOf(term: string): RegExp {
  const escaped = term.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
  const begins =
    /^[\p{L}\p{N}]/u.test(term) && !/[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}]/u.test(term)
  return new RegExp(begins ? `(?<![\\p{L}\\p{N}])${escaped}` : escaped, 'iu')
}

/** The text of a post, and the descriptions of its images. */
function textOf({ value: { text, embed } }: Post): string {
  const media = embed && recordWithMedia.$isTypeOf(embed) ? embed.media : embed
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
  const { embed } = post.value
  const links = featuresOf(post).flatMap((feature) => (facet.link.$isTypeOf(feature) ? [feature.uri] : []))
  const media = embed && recordWithMedia.$isTypeOf(embed) ? embed.media : embed
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
