/** Mentions, tags and links in texts of a world, as facets (app.bsky.richtext.facet). */

/** `@alice`, `@alice.test`, `#tag` or a link, at the start of a word. */
const marks =
  /(?<![^\s(])(?:@(?<name>[a-zA-Z0-9-]+(?:\.[a-zA-Z0-9-]+)*)|#(?<tag>[\p{L}\p{N}_]*\p{L}[\p{L}\p{N}_]*)|(?<link>https?:\/\/[^\s)]*[^\s).,;:!?"']))/gu

export interface RichText {
  readonly text: string
  readonly facets: readonly Facet[]
}

interface Facet {
  readonly index: { readonly byteStart: number; readonly byteEnd: number }
  readonly features: readonly { readonly $type: string; readonly [member: string]: string }[]
}

/** The names of accounts that a text mentions. Handles, which have a dot, may be of others. */
export function mentionsIn(text: string): string[] {
  const names = [...text.matchAll(marks)].flatMap(({ groups }) => groups?.name ?? [])
  return names.filter((name) => !name.includes('.'))
}

/** Replaces names by handles, and marks mentions, tags and links. @param find an account by its name or handle */
export function richText(
  text: string,
  find: (name: string) => { readonly did: string; readonly handle: string } | undefined,
): RichText {
  const facets: Facet[] = []
  let written = ''
  let from = 0
  for (const { 0: found, index, groups } of text.matchAll(marks)) {
    written += text.slice(from, index)
    from = index + found.length
    const account = groups?.name === undefined ? undefined : find(groups.name)
    const shown = account ? `@${account.handle}` : found
    const feature = account
      ? { $type: 'app.bsky.richtext.facet#mention', did: account.did }
      : featureOf(groups)
    const byteStart = Buffer.byteLength(written)
    written += shown
    if (feature)
      facets.push({ index: { byteStart, byteEnd: Buffer.byteLength(written) }, features: [feature] })
  }
  return { text: written + text.slice(from), facets }
}

function featureOf(groups: Readonly<Record<string, string | undefined>> | undefined) {
  if (groups?.tag !== undefined) return { $type: 'app.bsky.richtext.facet#tag', tag: groups.tag }
  if (groups?.link !== undefined) return { $type: 'app.bsky.richtext.facet#link', uri: groups.link }
  return undefined
}
