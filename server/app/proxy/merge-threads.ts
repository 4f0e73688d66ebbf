/** Adds fresh replies to threads of an app view. */
import { isObject, isString } from '../../util/json.ts'
import { type FreshWrites, isPost, type Json, type Post, postsOf } from './fresh-writes.ts'

/** A post in a tree, with the replies that were added to it. */
interface Node {
  readonly post: Post
  replies: unknown[]
}

/** Adds replies to a tree, in place. */
export function mergeThread(response: Json, fresh: FreshWrites): Json | undefined {
  const nodes = new Map<string, Node>()
  const pending: unknown[] = [response.thread]
  while (pending.length > 0) {
    const node = pending.pop()
    if (!isObject(node) || !isPost(node.post)) continue
    nodes.set(node.post.uri, node as unknown as Node)
    for (const reply of Array.isArray(node.replies) ? node.replies : []) pending.push(reply)
    pending.push(node.parent)
  }
  let added = 0
  for (const post of postsOf(fresh)) {
    const parent = nodes.get(parentOf(post) ?? '')
    if (!parent || nodes.has(post.uri)) continue
    const node = { $type: fresh.rename('app.example.feed.defs#threadViewPost'), post, replies: [] }
    parent.replies = [node, ...(Array.isArray(parent.replies) ? parent.replies : [])]
    nodes.set(post.uri, node)
    added++
  }
  return added > 0 ? response : undefined
}

/** A post in a flat thread. */
interface FlatItem extends Json {
  readonly uri: string
  readonly depth: number
}

function isFlatItem(value: unknown): value is FlatItem {
  return isObject(value) && isString(value.uri) && typeof value.depth === 'number'
}

/** Adds replies to a list that has each post before the replies to it. */
export function mergeFlatThread(response: Json, fresh: FreshWrites): Json | undefined {
  if (!Array.isArray(response.thread) || !response.thread.every(isFlatItem)) return undefined
  const thread = [...response.thread]
  for (const post of postsOf(fresh)) {
    const at = thread.findIndex(({ uri }) => uri === parentOf(post))
    const parent = thread[at]
    // Only the anchor and posts below it have replies in the list.
    if (!parent || parent.depth < 0 || thread.some(({ uri }) => uri === post.uri)) continue
    const value = {
      $type: fresh.rename('app.example.unspecced.defs#threadItemPost'),
      post,
      moreParents: false,
      moreReplies: 0,
      opThread: false,
      hiddenByThreadgate: false,
      mutedByViewer: false,
    }
    thread.splice(at + 1, 0, { uri: post.uri, depth: parent.depth + 1, value })
  }
  return { ...response, thread }
}

function parentOf({ record }: Post): string | undefined {
  const parent = isObject(record.reply) && isObject(record.reply.parent) ? record.reply.parent : {}
  return isString(parent.uri) ? parent.uri : undefined
}
