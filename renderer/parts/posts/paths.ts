import { parseAtUri } from '../../api/at-uri.ts'

/** The path of the screen that shows a post. */
export function postPath(uri: string): string {
  const { repo, collection, rkey } = parseAtUri(uri)
  return `/notifications/${repo}/${collection}/${rkey}`
}

/** The path of the screen that shows a person. */
export function personPath(did: string): string {
  return `/people/${did}`
}
