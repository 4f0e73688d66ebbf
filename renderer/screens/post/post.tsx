import { MessageCircleOff } from 'lucide-react'
import type { ReactNode } from 'react'
import { useParams } from 'wouter'
import { app } from '../../../lexicons/generated/index.ts'
import { useActor } from '../../api/actors.ts'
import { formatAtUri, parseAtUri } from '../../api/at-uri.ts'
import { errorName } from '../../api/call-errors.ts'
import type { Body } from '../../api/client.ts'
import { useXrpcQuery } from '../../api/hooks.ts'
import { nameOf } from '../../api/names.ts'
import styles from '../../parts/posts/post-card.module.css'
import { PostCard } from '../../parts/posts/post-card.tsx'
import { t } from '../../strings/en.ts'
import { BackLink } from '../../ui/links.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { EmptyState, Loaded } from '../../ui/states.tsx'

const { threadViewPost, blockedPost, notFoundPost } = app.example.feed.defs

type Node = Body<typeof app.example.feed.getPostThread.main>['thread']
type Thread = Extract<Node, { readonly post: unknown }>

const replyLevels = 6
const ancestors = 20

/** A post in its thread: its parents above it, its replies below. */
export function PostScreen() {
  const uri = formatAtUri(useParams<{ repo: string; collection: string; rkey: string }>())
  const query = useXrpcQuery(app.example.feed.getPostThread, {
    uri: uri as Thread['post']['uri'],
    depth: replyLevels,
    parentHeight: ancestors,
  })
  return (
    <Page before={<BackLink href="/notifications" name={t.nav.inbox} />} title={t.post.title}>
      {errorName(query.error) === 'NotFound' ? (
        <Missing uri={uri} />
      ) : (
        <Loaded query={query}>
          {({ thread }) =>
            threadViewPost.isTypeOf(thread) ? <ThreadView thread={thread} /> : <Missing uri={uri} />
          }
        </Loaded>
      )}
    </Page>
  )
}

function Missing({ uri }: { readonly uri: string }) {
  const title = useMissingText(uri)
  return <EmptyState icon={MessageCircleOff} text={t.post.missingText} title={title} />
}

function ThreadView({ thread }: { readonly thread: Thread }) {
  return (
    <Panel>
      {parentsOf(thread).map((node, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parents of a post do not change
        <div className={styles.parent} key={index}>
          <NodeView node={node} />
        </div>
      ))}
      <PostCard isMain post={thread.post} />
      <Replies of={thread} />
    </Panel>
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
    <ul aria-label={t.post.repliesTo(nameOf(post.author))} className={styles.replies}>
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
  if (blockedPost.isTypeOf(node)) return <p className={styles.gap}>{t.post.blocked}</p>
  return <Gap uri={notFoundPost.isTypeOf(node) ? node.uri : undefined} />
}

function Gap({ uri }: { readonly uri: string | undefined }) {
  return <p className={styles.gap}>{useMissingText(uri)}</p>
}

/** Why a post is missing: it was deleted, or is only on another server. */
function useMissingText(uri: string | undefined): string {
  const { data: author } = useActor(uri === undefined ? undefined : parseAtUri(uri).repo)
  return author?.isLocal === false ? t.post.elsewhere : t.post.missing
}
