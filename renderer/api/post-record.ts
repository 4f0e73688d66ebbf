/** The record of a post. */
import type { TypedBlobRef } from '@atproto/lex-data'
import { app } from '../../lexicons/generated/index.ts'
import type { Finding } from './facets.ts'

type PostView = app.example.feed.defs.PostView

const { images: imagesEmbed, record: recordEmbed, recordWithMedia } = app.example.embed
const { facet } = app.example.richtext

/** What a post refers to. */
export interface PostContext {
  readonly replyTo?: PostView | undefined
  readonly quote?: PostView | undefined
}

/** A picture that has been uploaded. */
export interface Image {
  readonly image: TypedBlobRef
  readonly alt: string
  readonly aspectRatio: { readonly width: number; readonly height: number }
}

export interface PostContent extends PostContext {
  readonly text: string
  /** A language tag. */
  readonly language: string
  /** The mentions, links and tags of the text. */
  readonly features: readonly Finding[]
  /** The DIDs of mentioned handles. Others stay text. */
  readonly dids: ReadonlyMap<string, string>
  readonly images: readonly Image[]
}

export function postRecord(content: PostContent, createdAt: Date) {
  const { text, language, features, dids, replyTo } = content
  const facets = features.flatMap((feature) => facetOf(feature, dids) ?? [])
  const embed = embedOf(content)
  return {
    $type: app.example.feed.post.$nsid,
    text,
    ...(facets.length > 0 && { facets }),
    ...(replyTo && { reply: { root: rootOf(replyTo), parent: refOf(replyTo) } }),
    ...(embed && { embed }),
    langs: [language],
    createdAt: createdAt.toISOString(),
  }
}

function facetOf(feature: Finding, dids: ReadonlyMap<string, string>) {
  const annotate = (member: object) => ({ index: feature.index, features: [member] })
  switch (feature.kind) {
    case 'link':
      return annotate({ $type: facet.link.$type, uri: feature.uri })
    case 'tag':
      return annotate({ $type: facet.tag.$type, tag: feature.tag })
    case 'mention': {
      const did = dids.get(feature.handle)
      return did === undefined ? undefined : annotate({ $type: facet.mention.$type, did })
    }
  }
}

function embedOf({ images, quote }: PostContent) {
  const media = images.length > 0 ? { $type: imagesEmbed.$nsid, images } : undefined
  const record = quote && { $type: recordEmbed.$nsid, record: refOf(quote) }
  if (media && record) return { $type: recordWithMedia.$nsid, record, media }
  return media ?? record
}

interface RecordRef {
  readonly uri: string
  readonly cid: string
}

function refOf({ uri, cid }: RecordRef): RecordRef {
  return { uri, cid }
}

/** The first post of the thread of a post. */
function rootOf(parent: PostView): RecordRef {
  const { reply } = parent.record as { readonly reply?: { readonly root?: RecordRef } }
  return refOf(reply?.root ?? parent)
}
