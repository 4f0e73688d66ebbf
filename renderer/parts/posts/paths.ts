import { parseAtUri } from '../../api/at-uri.ts'

/** The path of the screen that shows a post. */
export function postPath(uri: string): string {
  const { repo, collection, rkey } = parseAtUri(uri)
  return `/posts/${repo}/${collection}/${rkey}`
}

/** The path of the screen that shows a person. */
export function personPath(did: string): string {
  return `/people/${did}`
}

export type SearchKind = 'posts' | 'people'

/** The path of the screen that shows what a search finds. Encoded twice, because the router decodes all but a few signs. */
export function searchPath(kind: SearchKind, words: string): string {
  return `/search/${kind}/${encodeURIComponent(encodeURIComponent(words))}`
}

/** The words in the path of a search; as they are if they were written by hand and cannot be decoded. */
export function wordsOfPath(words: string): string {
  try {
    return decodeURIComponent(words).trim()
  } catch {
    return words
  }
}
