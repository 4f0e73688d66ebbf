import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import { app } from '../../../lexicons/generated/index.ts'
import { useActor } from '../../api/actors.ts'
import { parseAtUri } from '../../api/at-uri.ts'
import type { Body } from '../../api/client.ts'
import { nameOf } from '../../api/names.ts'
import { useCountWritten } from '../../api/reactions.ts'
import { useIsRemoved } from '../../api/removed-posts.ts'
import { Composer } from '../../parts/composer/composer.tsx'
import { postPath } from '../../parts/posts/paths.ts'
import styles from '../../parts/posts/post-card.module.css'
import { PostCard } from '../../parts/posts/post-card.tsx'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { Panel } from '../../ui/page.tsx'

const { threadViewPost, blockedPost, notFoundPost } = app.example.feed.defs

type Node = Body<typeof app.example.feed.getPostThread.main>['thread']
export type Thread = Extract<Node, { readonly post: unknown }>

/** The main post between its parents and its replies, with a form for a reply. */
export function ThreadView({ thread }: { readonly thread: Thread }) {
  const { post } = thread
  const countWritten = useCountWritten(post)
  return (
    <Panel>
      {parentsOf(thread).map((node, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parents of a post do not change
        <div className={styles.parent} key={index}>
          <NodeView node={node} />
        </div>
      ))}
      <PostCard isMain post={post} />
      {!post.viewer?.replyDisabled && (
        <div className={styles.replyForm}>
          <Composer key={post.uri} onPosted={() => countWritten('reply')} replyTo={post} />
        </div>
      )}
      <Replies key={`replies ${post.uri}`} of={thread} />
    </Panel>
  )
}

/** From the root of the thread down to the parent. */
function parentsOf({ parent }: Thread): readonly Node[] {
  if (!parent) return []
  return threadViewPost.isTypeOf(parent) ? [...parentsOf(parent), parent] : [parent]
}

/** Replies that are shown at first, and with each click on the button below them. */
const shownAtOnce = 25

function Replies({ of: { post, replies = [] } }: { readonly of: Thread }): ReactNode {
  const [shown, setShown] = useState(shownAtOnce)
  if (replies.length === 0) return null
  return (
    <>
      <ul aria-label={t.post.repliesTo(nameOf(post.author))} className={styles.replies}>
        {replies.slice(0, shown).map((node, index) => (
          <li key={threadViewPost.isTypeOf(node) ? node.post.uri : index}>
            <NodeView node={node} />
            {threadViewPost.isTypeOf(node) && <Below of={node} />}
          </li>
        ))}
      </ul>
      {replies.length > shown && (
        <div className={styles.moreReplies}>
          <Button onClick={() => setShown(shown + shownAtOnce)}>
            {t.post.moreReplies(replies.length - shown)}
          </Button>
        </div>
      )}
    </>
  )
}

/** The replies to a reply, or the way to them if they are below the levels that were read. */
function Below({ of }: { readonly of: Thread }) {
  const { post, replies } = of
  if (replies !== undefined) return <Replies of={of} />
  if (!post.replyCount) return null
  return (
    <p className={styles.moreReplies}>
      <Link href={postPath(post.uri)}>{t.post.continueThread(post.replyCount)}</Link>
    </p>
  )
}

function NodeView({ node }: { readonly node: Node }) {
  if (threadViewPost.isTypeOf(node)) return <PostNode thread={node} />
  if (blockedPost.isTypeOf(node)) return <p className={styles.gap}>{t.post.blocked}</p>
  return <Gap uri={notFoundPost.isTypeOf(node) ? node.uri : undefined} />
}

function PostNode({ thread: { post } }: { readonly thread: Thread }) {
  if (useIsRemoved(post.uri)) return <p className={styles.gap}>{t.post.deletedHere}</p>
  return <PostCard post={post} />
}

function Gap({ uri }: { readonly uri: string | undefined }) {
  return <p className={styles.gap}>{useMissingText(uri)}</p>
}

/** Why a post is missing: it was deleted, or is only on another server. */
export function useMissingText(uri: string | undefined): string {
  const { data: author } = useActor(uri === undefined ? undefined : parseAtUri(uri).repo)
  return author?.isLocal === false ? t.post.elsewhere : t.post.missing
}
