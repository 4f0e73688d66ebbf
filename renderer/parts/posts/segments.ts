/** The pieces of a post's text. Records may be invalid: facets that are, or that overlap, are left out. */

export interface Segment {
  readonly text: string
  /** Where it starts, in bytes of UTF-8. */
  readonly start: number
  readonly kind: 'text' | 'link' | 'mention' | 'tag'
  /** The target of a link; always http or https. */
  readonly url?: string
  /** The DID of a mention, or the tag without `#`. */
  readonly value?: string
}

interface Facet {
  readonly start: number
  readonly end: number
  readonly kind: Segment['kind']
  readonly url?: string
  readonly value?: string
}

export function segmentsOf(record: unknown): readonly Segment[] {
  const { text, facets } = (record ?? {}) as Readonly<Record<string, unknown>>
  if (typeof text !== 'string' || text === '') return []
  const bytes = new TextEncoder().encode(text)
  const decode = (from: number, to: number) => new TextDecoder().decode(bytes.subarray(from, to))
  const segments: Segment[] = []
  let at = 0
  for (const { start, end, ...what } of facetsOf(facets, bytes.length)) {
    if (start < at) continue
    if (start > at) segments.push({ text: decode(at, start), start: at, kind: 'text' })
    segments.push({ text: decode(start, end), start, ...what })
    at = end
  }
  if (at < bytes.length) segments.push({ text: decode(at, bytes.length), start: at, kind: 'text' })
  return segments
}

function facetsOf(facets: unknown, length: number): readonly Facet[] {
  if (!Array.isArray(facets)) return []
  return facets
    .flatMap((facet) => facetOf(facet, length) ?? [])
    .toSorted((a, b) => a.start - b.start || a.end - b.end)
}

function facetOf(facet: unknown, length: number): Facet | undefined {
  const { index, features } = (facet ?? {}) as Readonly<Record<string, unknown>>
  const { byteStart, byteEnd } = (index ?? {}) as Readonly<Record<string, unknown>>
  const isRange =
    Number.isInteger(byteStart) &&
    Number.isInteger(byteEnd) &&
    0 <= Number(byteStart) &&
    Number(byteStart) < Number(byteEnd) &&
    Number(byteEnd) <= length
  if (!isRange || !Array.isArray(features)) return undefined
  const range = { start: Number(byteStart), end: Number(byteEnd) }
  const { $type, uri, did, tag } = (features[0] ?? {}) as Readonly<Record<string, unknown>>
  switch (String($type).split('#')[1]) {
    case 'link': {
      const url = webUrl(uri)
      return url === undefined ? undefined : { ...range, kind: 'link', url }
    }
    case 'mention':
      return isDid(did) ? { ...range, kind: 'mention', value: did } : undefined
    case 'tag':
      return typeof tag === 'string' ? { ...range, kind: 'tag', value: tag } : undefined
    default:
      return undefined
  }
}

function isDid(value: unknown): value is string {
  return typeof value === 'string' && /^did:[a-z]+:[\w.:%-]+$/.test(value)
}

/** The URL, if it is one of the web. */
export function webUrl(url: unknown): string | undefined {
  const { protocol, href } = URL.parse(String(url)) ?? {}
  return protocol === 'https:' || protocol === 'http:' ? href : undefined
}

/** The host of a link whose text does not begin with it: a text may be any, also another address. */
export function unshownHost(text: string, url: string): string | undefined {
  const { host } = new URL(url)
  const [, shown = ''] = /^(?:https?:\/\/)?([^/?#\s…]+)(?:[/?#…]\S*)?$/i.exec(text.trim()) ?? []
  const withoutWww = (name: string) => name.toLowerCase().replace(/^www\./, '')
  return withoutWww(shown) === withoutWww(host) ? undefined : host
}

/** Removes marks that change the direction of a text, and so the order in which an address reads. */
export function withoutDirections(text: string): string {
  return text.replace(/[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, '')
}
