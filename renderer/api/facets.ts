/** Finds the mentions, links and tags in the text of a post. */
import { topLevelDomains, wordLikeDomains } from './top-level-domains.ts'

/** A range of a text, in bytes of its UTF-8 form. */
export interface ByteSlice {
  readonly byteStart: number
  readonly byteEnd: number
}

export type Feature =
  | { readonly kind: 'mention'; readonly handle: string }
  | { readonly kind: 'link'; readonly uri: string }
  | { readonly kind: 'tag'; readonly tag: string }

export type Finding = Feature & { readonly index: ByteSlice }

/** A feature at a range of UTF-16 code units. */
interface Match {
  readonly start: number
  readonly end: number
  readonly feature: Feature
}

/** Limits of a tag. */
const maxTagGraphemes = 64
const maxTagBytes = 640
const maxHandleLength = 253

/**
 * What may stand directly before a mention, link or tag: scripts without spaces between words, and everything else except letters,
 * digits and characters that continue an email address or a path.
 */
const before = String.raw`(?<![[\p{L}\p{M}\p{N}]--[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]]|[_@＠\/.+%&~\-])`

const urlPattern = new RegExp(String.raw`${before}https?:\/\/[^\s<>"“”「」。、]+`, 'giv')
const domainPattern = new RegExp(
  String.raw`${before}[a-z0-9\-]+(?:\.[a-z0-9\-]+)+(?::\d{1,5})?(?:[\/?#][^\s<>"“”「」。、]*)?`,
  'giv',
)
const mentionPattern = new RegExp(String.raw`${before}[@＠]([a-z0-9.\-]+)`, 'giv')
/** Symbols such as emoji are part of a tag; punctuation except `_` and hyphens ends it. */
const tagPattern = new RegExp(
  String.raw`${before}[#＃](?!\u{FE0F})((?:[^\s\p{Ps}\p{Pe}\p{Pi}\p{Pf}\p{Po}\p{C}#＃]|[\u200C\u200D])+)`,
  'gv',
)

const encoder = new TextEncoder()
const graphemes = new Intl.Segmenter()

/** Returns the mentions, links and tags of a text, in order and without overlap. */
export function findFeatures(text: string): readonly Finding[] {
  const matches = [
    ...matchesOf(text, urlPattern, linkAt),
    ...matchesOf(text, domainPattern, domainAt),
    ...matchesOf(text, mentionPattern, mentionAt),
    ...matchesOf(text, tagPattern, tagAt),
  ].toSorted((a, b) => a.start - b.start)
  const findings: Finding[] = []
  let end = 0
  let bytes = 0
  for (const match of matches) {
    if (match.start < end) continue
    const byteStart = bytes + bytesOf(text.slice(end, match.start))
    bytes = byteStart + bytesOf(text.slice(match.start, match.end))
    end = match.end
    findings.push({ ...match.feature, index: { byteStart, byteEnd: bytes } })
  }
  return findings
}

/** The length of a text in bytes of UTF-8. */
export function bytesOf(text: string): number {
  return encoder.encode(text).length
}

/** The length of a text in letters as people count them. */
export function graphemesOf(text: string): number {
  return [...graphemes.segment(text)].length
}

/** @param read returns the feature and its length; undefined for text that only looks like one */
function matchesOf(
  text: string,
  pattern: RegExp,
  read: (match: RegExpExecArray, after: string) => { length: number; feature: Feature } | undefined,
): readonly Match[] {
  return [...text.matchAll(pattern)].flatMap((match) => {
    const start = match.index
    const found = read(match, text.slice(start + match[0].length, start + match[0].length + 1))
    return found ? [{ start, end: start + found.length, feature: found.feature }] : []
  })
}

function linkAt([match]: RegExpExecArray) {
  const url = withoutTrailing(match)
  const uri = URL.parse(url)
  return uri?.hostname ? { length: url.length, feature: { kind: 'link', uri: uri.href } as const } : undefined
}

/** A domain without a scheme, if its last label is a known one. */
function domainAt([match]: RegExpExecArray, after: string) {
  const text = withoutTrailing(match)
  const [host = ''] = /^[a-z0-9.-]+/i.exec(text) ?? []
  const isEmail = after === '@' || text.includes('@')
  if (isEmail || !isKnownDomain(host, host.length < text.length)) return undefined
  const uri = URL.parse(`https://${text}`)
  return uri ? { length: text.length, feature: { kind: 'link', uri: uri.href } as const } : undefined
}

/** @param hasPath whether something follows the domain, so that it is no word after a missing space */
function isKnownDomain(host: string, hasPath: boolean): boolean {
  const last = host.slice(host.lastIndexOf('.') + 1)
  const isSure = hasPath || /^www\./i.test(host)
  return isDomain(host) && (topLevelDomains.has(last) || (isSure && wordLikeDomains.has(last)))
}

function isDomain(name: string): boolean {
  const labels = name.split('.')
  return (
    name.length <= maxHandleLength &&
    labels.length > 1 &&
    labels.every((label) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i.test(label)) &&
    /^[a-z]/i.test(labels.at(-1) ?? '')
  )
}

function mentionAt([match, name = '']: RegExpExecArray, after: string) {
  const handle = name.replace(/[.-]+$/, '')
  const isOther = after === '@' || after === '_'
  if (isOther || !isDomain(handle)) return undefined
  const length = match.length - name.length + handle.length
  return { length, feature: { kind: 'mention', handle: handle.toLowerCase() } as const }
}

function tagAt([match, name = '']: RegExpExecArray) {
  const tag = name.replace(/[\p{P}\u200C\u200D]+$/u, '')
  const isNumber = /^[\p{N}\p{P}\u200C\u200D]*$/u.test(tag)
  if (isNumber || bytesOf(tag) > maxTagBytes || graphemesOf(tag) > maxTagGraphemes) return undefined
  return { length: match.length - name.length + tag.length, feature: { kind: 'tag', tag } as const }
}

/** Removes the punctuation of the sentence after a URL; a closing parenthesis is part of it if it closes one of its own. */
function withoutTrailing(url: string): string {
  let text = url
  for (;;) {
    const shorter = /[.,;:!?'’…*_~）\]}]$/u.test(text) || hasExcess(text) ? text.slice(0, -1) : text
    if (shorter === text) return text
    text = shorter
  }
}

function hasExcess(text: string): boolean {
  return text.endsWith(')') && text.split(')').length > text.split('(').length
}
