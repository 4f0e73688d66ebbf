/** Likes and reposts of the current account. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { app, com } from '../../lexicons/generated/index.ts'
import { parseAtUri } from './at-uri.ts'
import { changePost } from './cached-views.ts'
import { callAs } from './client.ts'
import { createOnce } from './create-once.ts'
import { useSession } from './sessions.ts'
import type { PostView } from './views.ts'

const { deleteRecord } = com.core.repo

const kinds = {
  like: { collection: app.example.feed.like.$nsid, count: 'likeCount' },
  repost: { collection: app.example.feed.repost.$nsid, count: 'repostCount' },
} as const

export type Reaction = keyof typeof kinds

export interface PostRef {
  readonly uri: string
  readonly cid: string
}

/** Stands for the record that is being created. */
const pending = 'at://pending'

interface ReactionOptions {
  /** The repost through which the post was found. Its author is notified, too. */
  readonly via?: PostRef | undefined
  onError(error: Error): void
}

/** Likes or reposts a post, or takes that back. Optimistic; rolled back on failure. */
export function useReaction(kind: Reaction, post: PostView, { via, onError }: ReactionOptions) {
  const { did } = useSession()
  const client = useQueryClient()
  const existing: string | undefined = post.viewer?.[kind]
  const show = (uri: string | undefined) =>
    changePost(client, did, post.uri, (view) => withReaction(view, kind, uri))
  const change = useMutation({
    mutationFn: (before: string | undefined) =>
      before === undefined ? create(did, kind, post, via) : remove(did, before),
    onMutate: (before) => show(before === undefined ? pending : undefined),
    // Again, because a response in flight may predate the change.
    onSuccess: (after) => show(after),
    onError: (error, before) => {
      show(before)
      onError(error)
    },
  })
  return {
    isOn: existing !== undefined,
    toggle() {
      if (!change.isPending && existing !== pending) change.mutate(existing)
    },
  }
}

/** The count follows the state, so that applying a state again changes nothing. */
function withReaction(post: PostView, kind: Reaction, uri: string | undefined): PostView {
  const { count } = kinds[kind]
  const isOn = (value: unknown) => Number(value !== undefined)
  const change = isOn(uri) - isOn(post.viewer?.[kind])
  return {
    ...post,
    viewer: { ...post.viewer, [kind]: uri },
    [count]: Math.max(0, (post[count] ?? 0) + change),
  } as PostView
}

/** Counts a reply to a post or a quote of it that was just written. */
export function useCountWritten(post: PostView): (kind: 'reply' | 'quote') => void {
  const { did } = useSession()
  const client = useQueryClient()
  return (kind) => {
    const count = kind === 'reply' ? 'replyCount' : 'quoteCount'
    changePost(client, did, post.uri, (view) => ({ ...view, [count]: (view[count] ?? 0) + 1 }))
  }
}

function create(did: string, kind: Reaction, { uri, cid }: PostRef, via?: PostRef): Promise<string> {
  return createOnce(did, uri, { $type: kinds[kind].collection, subject: { uri, cid }, via })
}

async function remove(did: string, uri: string): Promise<undefined> {
  const { collection, rkey } = parseAtUri(uri)
  await callAs(did, deleteRecord, { body: { repo: did, collection, rkey } as never })
}
