/** Queries of post search: words, phrases in quotes, `#tags`, operators such as `from:alice.test`, and `*` for everything. */
import type { app } from '../../../../lexicons/generated/index.ts'
import { instant } from '../../../util/time.ts'
import { termsOf, wordsOf } from './terms.ts'

/** Values of a property that posts may have. An absent list is no condition. */
export interface PostFilter {
  /** Handles or DIDs, as `mentions`. */
  readonly authors?: readonly string[] | undefined
  readonly mentions?: readonly string[] | undefined
  /** Tags in lower case, without `#`. */
  readonly tags?: readonly string[] | undefined
  /** Languages in lower case. */
  readonly langs?: readonly string[] | undefined
  readonly domains?: readonly string[] | undefined
  readonly urls?: readonly string[] | undefined
  /** AT URIs of embedded records. */
  readonly embeds?: readonly string[] | undefined
}

/** The conditions of a search. A post must meet all of them. */
export interface PostQuery {
  /** Words and phrases, in lower case. */
  readonly terms: readonly string[]
  /** Tags, all of which a post must have, in lower case and without `#`. */
  readonly tags: readonly string[]
  /** A post has one of the values of each list. */
  readonly any: PostFilter
  /** A post has none of the values. */
  readonly none: PostFilter
  /** Milliseconds since 1970. */
  readonly since: number | undefined
  readonly until: number | undefined
  readonly media?: 'any' | 'video' | undefined
  readonly replies?: 'only' | 'none' | undefined
  /** AT URI of the post that is replied to, and of the first post of the thread. */
  readonly parent?: string | undefined
  readonly root?: string | undefined
  /** Whether only accounts count that the viewer follows. */
  readonly isFollowed?: boolean | undefined
}

type Params = app.example.feed.searchPosts.$Params
type ParamsV2 = app.example.feed.searchPostsV2.$Params

/** A word that sets a parameter, and the names that operators have for it. */
const operator = /^(from|author|mentions|to|since|until|lang|domain):(.+)$/i
const parameterOf = new Map([
  ['from', 'author'],
  ['to', 'mentions'],
])

/** Reads the parameters of searchPosts. They precede operators. Returns undefined if a time is invalid. */
export function readQuery(params: Params): PostQuery | undefined {
  const { terms, tags, set } = readText(params.q)
  const times = readTimes({ since: params.since ?? set.since, until: params.until ?? set.until })
  const one = (value: string | undefined) => (value === undefined ? undefined : [value])
  return (
    times && {
      ...times,
      terms,
      tags: [...lowerCase(params.tag ?? []), ...tags],
      any: {
        authors: one(withoutAt(params.author ?? set.author)),
        mentions: one(withoutAt(params.mentions ?? set.mentions)),
        langs: one((params.lang ?? set.lang)?.toLowerCase()),
        domains: one((params.domain ?? set.domain)?.toLowerCase()),
        urls: one(params.url),
      },
      none: {},
    }
  )
}

/**
 * Reads the parameters of searchPostsV2. They precede operators. Returns undefined if a time is invalid, or if replies are both
 * required and excluded.
 */
export function readQueryV2(params: ParamsV2): PostQuery | undefined {
  const { terms, tags, set } = readText(params.query ?? '')
  const times = readTimes({ since: params.since ?? set.since, until: params.until ?? set.until })
  const { excludeReplies, repliesOnly, hasMedia, hasVideo } = params
  if (!times || (excludeReplies && repliesOnly)) return undefined
  const or = (values: readonly string[] | undefined, value: string | undefined) =>
    values ?? (value === undefined ? undefined : [value])
  return {
    ...times,
    terms,
    tags,
    any: {
      authors: or(params.authors, withoutAt(set.author)),
      mentions: or(params.mentions, withoutAt(set.mentions)),
      tags: params.hashtags && lowerCase(params.hashtags),
      langs: lowerCase(or(params.languages, set.lang)),
      domains: lowerCase(or(params.domains, set.domain)),
      urls: params.urls,
      embeds: params.embeddedAtUris,
    },
    none: {
      authors: params.excludeAuthors,
      mentions: params.excludeMentions,
      tags: lowerCase(params.excludeHashtags),
      langs: lowerCase(params.excludeLanguages),
      domains: lowerCase(params.excludeDomains),
      urls: params.excludeUrls,
      embeds: params.excludeEmbeddedAtUris,
    },
    media: hasVideo ? 'video' : hasMedia ? 'any' : undefined,
    replies: repliesOnly ? 'only' : excludeReplies ? 'none' : undefined,
    parent: params.replyParentUri,
    root: params.threadRootUri,
    isFollowed: params.following,
  }
}

/** Splits a text into terms, tags and what its operators set. */
function readText(text: string) {
  const words = wordsOf(text)
  const operators = words.flatMap((word) => {
    const [, name = '', value = ''] = operator.exec(word) ?? []
    return name === '' ? [] : [[parameterOf.get(name.toLowerCase()) ?? name.toLowerCase(), value] as const]
  })
  const set: Partial<Record<string, string>> = Object.fromEntries(operators)
  const others = words.filter((word) => !operator.test(word)).map((word) => word.toLowerCase())
  const isTag = (word: string) => /^#[^#]/.test(word)
  const terms = termsOf(others.filter((word) => !isTag(word)))
  return { terms, tags: others.filter(isTag).map((word) => word.slice(1)), set }
}

/** Returns the times in milliseconds since 1970; undefined if one is invalid. */
function readTimes({ since, until }: { since: string | undefined; until: string | undefined }) {
  if (![since, until].every((time) => time === undefined || instant(time))) return undefined
  return {
    since: since === undefined ? undefined : instant(since)?.getTime(),
    until: until === undefined ? undefined : instant(until)?.getTime(),
  }
}

function lowerCase<Values extends readonly string[] | undefined>(values: Values): Values | string[] {
  return values?.map((value) => value.toLowerCase()) ?? values
}

function withoutAt(identifier: string | undefined): string | undefined {
  return identifier?.replace(/^@/, '')
}
