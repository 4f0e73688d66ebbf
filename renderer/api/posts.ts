/** Posts that the current account writes. */
import { app, com } from '../../lexicons/generated/index.ts'
import { callAs } from './client.ts'
import { useWork } from './hooks.ts'
import type { PostView } from './views.ts'

const { createRecord } = com.core.repo
const { getAuthorFeed, getPostThread, getTimeline, post } = app.example.feed
const { getProfile } = app.example.actor

/** The queries whose responses change with a post of this account. */
const changed = [getTimeline, getAuthorFeed, getPostThread, getProfile]

/** Limits of the text of a post. */
export const maxGraphemes = 300
export const maxTextBytes = 3000

/** What a post refers to. */
export interface PostContext {
  readonly replyTo?: PostView | undefined
  readonly quote?: PostView | undefined
}

export interface NewPost extends PostContext {
  readonly text: string
}

export interface PostRef {
  readonly uri: string
  readonly cid: string
}

/** Writes posts. */
export function usePosting(effects: { onSuccess?(ref: PostRef, post: NewPost): void } = {}) {
  return useWork(createPost, changed, effects)
}

async function createPost(did: string, { text, replyTo, quote }: NewPost): Promise<PostRef> {
  const record = {
    $type: post.$nsid,
    text: text.trim(),
    ...(replyTo && { reply: { root: rootOf(replyTo), parent: refOf(replyTo) } }),
    ...(quote && { embed: { $type: app.example.embed.record.$nsid, record: refOf(quote) } }),
    createdAt: new Date().toISOString(),
  }
  return callAs(did, createRecord, { body: { repo: did, collection: post.$nsid, record } as never })
}

function refOf({ uri, cid }: PostRef): PostRef {
  return { uri, cid }
}

/** The first post of the thread of a post. */
function rootOf(parent: PostView): PostRef {
  const { reply } = parent.record as { readonly reply?: { readonly root?: PostRef } }
  return refOf(reply?.root ?? parent)
}
