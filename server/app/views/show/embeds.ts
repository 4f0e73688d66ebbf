/** Views of embeds of posts: images, videos, links and other records. */
import { type BlobRef, getBlobCidString } from '@atproto/lex-data'
import type { AtUriString, DidString, UriString } from '@atproto/syntax'
import { app } from '../../../../lexicons/generated/index.ts'
import type { RecordRow } from '../../../federation/tables/graph.ts'
import { playlistPath } from '../../../repository/blobs/videos/video-path.ts'
import { isDetached, violatesPostGate } from '../filter/gates.ts'
import { isAgainstGate } from '../filter/posts.ts'
import { starterPacksById } from '../find/starter-packs.ts'
import type { ViewContext } from '../load/context.ts'
import { areBlocked, embeddedUri, type Post, postAt, recordAt, responsesTo } from '../load/posts.ts'
import { jsonOf } from '../load/records.ts'
import { isBlocked, relationTo } from '../load/relations.ts'
import { generatorView, readGenerator } from './generators.ts'
import { blobUrl, imageUrl } from './images.ts'
import { selfLabels } from './labels.ts'
import { listViews } from './lists.ts'
import { profileViewBasic, viewerState } from './profiles.ts'
import { starterPackViewBasic } from './starter-packs.ts'

const { embed, feed, graph } = app.example

type Embed = NonNullable<app.example.feed.post.Main['embed']>
type EmbedView = NonNullable<app.example.feed.defs.PostView['embed']>
type MediaView = app.example.embed.recordWithMedia.View['media']
type RecordView = app.example.embed.record.View['record']
type Image = Pick<app.example.embed.images.Image, 'image' | 'alt' | 'aspectRatio'>

/** A post shows the post that it embeds, and that one the post that it embeds. */
const maxDepth = 2

/** Returns the view of the embed of a post; undefined if it has none or an unknown one. */
export function embedView(ctx: ViewContext, post: Post, depth = 0): EmbedView | undefined {
  const embedded: Embed | undefined = post.value.embed
  if (!embedded) return undefined
  const uri = embeddedUri(post)
  if (uri === undefined) return mediaView(ctx, post.did, embedded)
  if (depth >= maxDepth) return undefined
  const record = { record: recordView(ctx, post, uri, depth) }
  if (!embed.recordWithMedia.$isTypeOf(embedded)) return embed.record.view.$build(record)
  const media = mediaView(ctx, post.did, embedded.media)
  return media ? embed.recordWithMedia.view.$build({ record, media }) : embed.record.view.$build(record)
}

function mediaView(ctx: ViewContext, did: DidString, media: Embed): MediaView | undefined {
  if (embed.images.$isTypeOf(media)) {
    return embed.images.view.$build({ images: media.images.map((image) => imageView(ctx, did, image)) })
  }
  if (embed.gallery.$isTypeOf(media)) {
    const items = media.items.filter((item) => embed.gallery.image.$isTypeOf(item))
    return embed.gallery.view.$build({
      items: items.map((item) => {
        const { thumb: thumbnail, ...image } = imageView(ctx, did, item)
        return embed.gallery.viewImage.$build({ ...image, thumbnail, aspectRatio: item.aspectRatio })
      }),
    })
  }
  if (embed.external.$isTypeOf(media)) {
    const { uri, title, description, thumb } = media.external
    return embed.external.view.$build({
      external: { uri, title, description, thumb: blobUrl(ctx, did, thumb, 'feed_thumbnail') },
    })
  }
  return embed.video.$isTypeOf(media) ? videoView(ctx, did, media) : undefined
}

function imageView(ctx: ViewContext, did: DidString, { image, alt, aspectRatio }: Image) {
  const thumb = imageUrl(ctx, did, getBlobCidString(image), 'feed_thumbnail')
  return { thumb, fullsize: urlOf(ctx, did, image), alt, aspectRatio }
}

function videoView(ctx: ViewContext, did: DidString, media: app.example.embed.video.Main) {
  const { video, alt, aspectRatio, presentation } = media
  return embed.video.view.$build({
    cid: getBlobCidString(video),
    playlist: `${ctx.origin}${playlistPath(ctx.hashVideo, did, getBlobCidString(video))}` as UriString,
    alt,
    aspectRatio,
    presentation,
  })
}

function urlOf(ctx: ViewContext, did: DidString, blob: BlobRef) {
  return imageUrl(ctx, did, getBlobCidString(blob))
}

/** Returns the view of an embedded record. */
function recordView(ctx: ViewContext, post: Post, uri: AtUriString, depth: number): RecordView {
  const row = recordAt(ctx, uri)
  if (!row) return notFound(uri)
  if (isBlocked(relationTo(ctx, row.actor)) || areBlocked(ctx, post.actor, row.actor)) {
    const author = { did: row.did, viewer: viewerState(ctx, row.actor) }
    return embed.record.viewBlocked.$build({ uri, blocked: true, author })
  }
  const quoted = postAt(ctx, uri)
  if (quoted) return quotedView(ctx, post, quoted, depth)
  return otherRecordView(ctx, row) ?? notFound(uri)
}

/** Views of feed generators, lists and starter packs; undefined for other and invalid records. */
function otherRecordView(ctx: ViewContext, row: RecordRow): RecordView | undefined {
  switch (ctx.names.own(row.collection)) {
    case feed.generator.$type: {
      const generator = readGenerator(ctx, row)
      return generator && feed.defs.generatorView.$build(generatorView(ctx, generator))
    }
    case graph.list.$type: {
      const [view] = listViews(ctx, [row.id])
      return view && graph.defs.listView.$build(view)
    }
    case graph.starterpack.$type: {
      const [pack] = starterPacksById(ctx, [row.id])
      return pack && graph.defs.starterPackViewBasic.$build(starterPackViewBasic(ctx, pack))
    }
    default:
      return undefined
  }
}

function quotedView(ctx: ViewContext, post: Post, quoted: Post, depth: number): RecordView {
  const { uri, cid, indexedAt } = quoted
  if (isDetached(ctx, quoted, post.uri)) return embed.record.viewDetached.$build({ uri, detached: true })
  if (violatesPostGate(ctx, quoted, post) || isAgainstGate(ctx, quoted)) return notFound(uri)
  const { likes, reposts, replies, quotes } = responsesTo(ctx, quoted)
  const nested = embedView(ctx, quoted, depth + 1)
  return embed.record.viewRecord.$build({
    uri,
    cid,
    author: profileViewBasic(ctx, quoted.actor),
    value: jsonOf(quoted),
    labels: selfLabels(quoted.value, quoted),
    likeCount: likes,
    repostCount: reposts,
    replyCount: replies,
    quoteCount: quotes,
    embeds: nested ? [nested] : [],
    indexedAt,
  })
}

function notFound(uri: AtUriString): RecordView {
  return embed.record.viewNotFound.$build({ uri, notFound: true })
}
