import { ArrowLeft, MessageCircleOff } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link, useParams } from 'wouter'
import { app } from '../../../lexicons/generated/index.ts'
import { formatAtUri } from '../../api/at-uri.ts'
import type { Body } from '../../api/client.ts'
import { errorName } from '../../api/errors.ts'
import { useXrpcQuery } from '../../api/hooks.ts'
import { t } from '../../strings/en.ts'
import { Page } from '../../ui/page.tsx'
import { EmptyState, Loaded } from '../../ui/states.tsx'
import styles from './post.module.css'
import { PostCard } from './post-card.tsx'

const { threadViewPost, blockedPost } = app.example.feed.defs

type Node = Body<typeof app.example.feed.getPostThread.main>['thread']
type Thread = Extract<Node, { readonly post: unknown }>

const replyLevels = 6
const ancestors = 20

/** A post in its thread: what it replies to above it, its replies below. */
export function PostScreen() {
  const uri = formatAtUri(useParams<{ repo: string; collection: string; rkey: string }>())
  const query = useXrpcQuery(app.example.feed.getPostThread, {
    uri: uri as Thread['post']['uri'],
    depth: replyLevels,
    parentHeight: ancestors,
  })
  return (
    <Page
      before={
        <Link className={styles.back} href="/notifications">
          <ArrowLeft aria-hidden size={16} />
          {t.post.back}
        </Link>
      }
      title={t.post.title}
    >
      {errorName(query.error) === 'NotFound' ? (
        <Missing />
      ) : (
        <Loaded query={query}>
          {({ thread }) => (threadViewPost.isTypeOf(thread) ? <ThreadView thread={thread} /> : <Missing />)}
        </Loaded>
      )}
    </Page>
  )
}

function Missing() {
  return (
    <EmptyState icon={<MessageCircleOff aria-hidden size={28} />} title={t.post.missing}>
      {t.post.missingText}
    </EmptyState>
  )
}

function ThreadView({ thread }: { readonly thread: Thread }) {
  return (
    <div className={styles.thread}>
      {parentsOf(thread).map((node, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parents of a post do not change
        <div className={styles.parent} key={index}>
          <NodeView node={node} />
        </div>
      ))}
      <PostCard isMain post={thread.post} />
      <Replies of={thread} />
    </div>
  )
}

/** From the root of the thread down to the parent. */
function parentsOf({ parent }: Thread): readonly Node[] {
  if (!parent) return []
  return threadViewPost.isTypeOf(parent) ? [...parentsOf(parent), parent] : [parent]
}

function Replies({ of: { post, replies = [] } }: { readonly of: Thread }): ReactNode {
  if (replies.length === 0) return null
  return (
    <ul
      aria-label={t.post.repliesTo(post.author.displayName || post.author.handle)}
      className={styles.replies}
    >
      {replies.map((node, index) => (
        <li key={threadViewPost.isTypeOf(node) ? node.post.uri : index}>
          <NodeView node={node} />
          {threadViewPost.isTypeOf(node) && <Replies of={node} />}
        </li>
      ))}
    </ul>
  )
}

function NodeView({ node }: { readonly node: Node }) {
  if (threadViewPost.isTypeOf(node)) return <PostCard post={node.post} />
  return <p className={styles.gap}>{blockedPost.isTypeOf(node) ? t.post.blocked : t.post.missing}</p>
}
