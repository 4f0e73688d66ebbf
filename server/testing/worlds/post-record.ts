/** The record of a post, and its gates. */
import type { Loading, Ref } from './loading.ts'
import type { WorldPost } from './schema.ts'
import { richText } from './text.ts'

interface PostRecord {
  readonly record: { readonly reply?: { readonly root: Ref; readonly parent: Ref } }
  /** Collection and record of each gate, without its post. */
  readonly gates: readonly (readonly [collection: string, record: object])[]
}

export async function postRecord(loading: Loading, by: string, post: WorldPost): Promise<PostRecord> {
  const { langs = ['en'], tags, labels, reply } = post
  const { text, facets } = richText(post.text, loading.members.find)
  const parent = reply === undefined ? undefined : loading.posts.get(reply)
  const embed = await embedOf(loading, by, post)
  const record = {
    ...{ text, langs },
    ...(facets.length > 0 && { facets }),
    ...(tags && { tags }),
    ...(parent && { reply: { root: loading.roots.get(parent.uri) ?? parent, parent } }),
    ...(embed && { embed }),
    ...(labels && {
      labels: { $type: 'com.atproto.label.defs#selfLabels', values: labels.map((val) => ({ val })) },
    }),
  }
  return { record, gates: gatesOf(loading, post) }
}

async function embedOf(loading: Loading, by: string, post: WorldPost): Promise<object | undefined> {
  const record = post.quote === undefined ? undefined : loading.posts.get(post.quote)
  const quote = record && { $type: 'app.bsky.embed.record', record }
  if (!post.pictures) return quote
  const images: object[] = []
  for (const [index, { alt = '', ...picture }] of post.pictures.entries()) {
    const defaults = { width: 320, height: 200, key: `${by} ${post.text} ${index}` }
    const { blob, size } = await loading.upload(by, picture, defaults)
    images.push({ alt, image: blob, ...(size && { aspectRatio: size }) })
  }
  const media = { $type: 'app.bsky.embed.images', images }
  return quote ? { $type: 'app.bsky.embed.recordWithMedia', record: quote, media } : media
}

const rules = { mentioned: 'mentionRule', followers: 'followerRule', following: 'followingRule' } as const

function gatesOf({ lists }: Loading, { allowReplies, allowQuotes = true }: WorldPost): PostRecord['gates'] {
  const gates: [string, object][] = []
  const type = 'app.bsky.feed.threadgate'
  if (allowReplies) {
    const allow = allowReplies.map((rule) =>
      typeof rule === 'string'
        ? { $type: `${type}#${rules[rule]}` }
        : { $type: `${type}#listRule`, list: lists.get(rule.list)?.uri },
    )
    gates.push([type, { allow }])
  }
  if (!allowQuotes) {
    const embeddingRules = [{ $type: 'app.bsky.feed.postgate#disableRule' }]
    gates.push(['app.bsky.feed.postgate', { embeddingRules }])
  }
  return gates
}
