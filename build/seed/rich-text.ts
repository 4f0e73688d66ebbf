/** Facets: the mentions, links and tags in a text (app.example.richtext.facet). */
import type { DidString, UriString } from '@atproto/syntax'
import type { app } from '../../lexicons/generated/index.ts'

type Facet = app.example.richtext.facet.Main

/** @param didOf returns the DID of a handle; undefined if no account has it */
export function facetsOf(text: string, didOf: (handle: string) => DidString | undefined): Facet[] {
  const facets: Facet[] = []
  for (const { 0: found, index } of text.matchAll(/(?<!\S)(?:@[a-z]+\.test|#[a-z]+|https:\/\/\S+)/g)) {
    const feature = featureOf(found, didOf)
    if (feature) facets.push({ index: byteSlice(text, index, found), features: [feature] })
  }
  return facets
}

function featureOf(
  found: string,
  didOf: (handle: string) => DidString | undefined,
): Facet['features'][number] | undefined {
  const name = found.slice(1)
  if (found.startsWith('#')) return { $type: 'app.example.richtext.facet#tag', tag: name }
  if (!found.startsWith('@')) return { $type: 'app.example.richtext.facet#link', uri: found as UriString }
  const did = didOf(name)
  return did && { $type: 'app.example.richtext.facet#mention', did }
}

/** Converts a string index to the UTF-8 byte range of a facet. */
function byteSlice(text: string, index: number, found: string) {
  const byteStart = Buffer.byteLength(text.slice(0, index))
  return { byteStart, byteEnd: byteStart + Buffer.byteLength(found) }
}
