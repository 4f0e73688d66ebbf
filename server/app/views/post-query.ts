/** Queries of searchPosts: words, phrases in quotes, `#tags`, operators such as `from:alice.test`, and `*` for everything. */
import type { app } from '../../../lexicons/generated/index.ts'
import { instant } from '../../platform/util/time.ts'

/** The conditions of a search. A post must meet all of them. */
export interface PostQuery {
  /** Words and phrases, in lower case. */
  readonly terms: readonly string[]
  /** In lower case, without `#`. */
  readonly tags: readonly string[]
  /** Handle or DID, as `mentions`. */
  readonly author: string | undefined
  readonly mentions: string | undefined
  /** Milliseconds since 1970. */
  readonly since: number | undefined
  readonly until: number | undefined
  readonly lang: string | undefined
  readonly domain: string | undefined
  readonly url: string | undefined
}

type Params = app.example.feed.searchPosts.$Params

/** A word that sets a parameter, and the names that operators have for it. */
const operator = /^(from|author|mentions|to|since|until|lang|domain):(.+)$/i
const parameterOf = new Map([
  ['from', 'author'],
  ['to', 'mentions'],
])

/** Words of a query that count. */
const maxWords = 50

/** Reads a query. Parameters precede operators. Returns undefined if a time is invalid. */
export function readQuery(params: Params): PostQuery | undefined {
  const words = [...new Set(params.q.match(/"[^"]*"|\S+/g))].slice(0, maxWords)
  const operators = words.flatMap((word) => {
    const [, name = '', value = ''] = operator.exec(word) ?? []
    return name === '' ? [] : [[parameterOf.get(name.toLowerCase()) ?? name.toLowerCase(), value] as const]
  })
  const set: Partial<Record<string, string>> = Object.fromEntries(operators)
  const others = words.filter((word) => !operator.test(word)).map((word) => word.toLowerCase())
  const isTag = (word: string) => /^#[^#]/.test(word)
  const { since = set.since, until = set.until, tag = [], url } = params
  if (![since, until].every((time) => time === undefined || instant(time))) return undefined
  return {
    terms: others
      .filter((word) => !isTag(word))
      .map((word) => word.replaceAll('"', '').trim())
      .filter((term) => term !== '' && term !== '*'),
    tags: [...tag.map((one) => one.toLowerCase()), ...others.filter(isTag).map((word) => word.slice(1))],
    author: withoutAt(params.author ?? set.author),
    mentions: withoutAt(params.mentions ?? set.mentions),
    since: since === undefined ? undefined : instant(since)?.getTime(),
    until: until === undefined ? undefined : instant(until)?.getTime(),
    lang: (params.lang ?? set.lang)?.toLowerCase(),
    domain: (params.domain ?? set.domain)?.toLowerCase(),
    url,
  }
}

function withoutAt(identifier: string | undefined): string | undefined {
  return identifier?.replace(/^@/, '')
}
