import { Repeat2, Reply } from 'lucide-react'
import { memo } from 'react'
import { Link } from 'wouter'
import { app } from '../../../lexicons/generated/index.ts'
import { type FeedItem, repostOf } from '../../api/feed-pages.ts'
import { nameOf } from '../../api/names.ts'
import { useIsRemoved } from '../../api/removed-posts.ts'
import { t } from '../../strings/en.ts'
import { PersonName } from '../../ui/person.tsx'
import { personPath, postPath } from '../posts/paths.ts'
import { PostCard } from '../posts/post-card.tsx'
import styles from './feed.module.css'

const { postView } = app.example.feed.defs

interface FeedRowProps {
  readonly item: FeedItem
  /** Shows nothing if its author, or who reposted it, is muted or blocked. */
  readonly hidesMuted: boolean
}

/** A post of a feed, with who reposted it, and what it replies to. */
export const FeedRow = memo(function FeedRow({ item, hidesMuted }: FeedRowProps) {
  const { post } = item
  const repost = repostOf(item)
  const via = repost?.uri && repost.cid ? { uri: repost.uri, cid: repost.cid } : undefined
  const isRemoved = useIsRemoved(post.uri)
  if (isRemoved || (hidesMuted && [post.author, repost?.by].some(isMuted))) return null
  return (
    <li>
      <PostCard
        context={
          <>
            {repost && (
              <p className={styles.context}>
                <Repeat2 aria-hidden size={14} />
                <span>
                  {t.feed.repostedBy}{' '}
                  <Link href={personPath(repost.by.did)}>
                    <PersonName of={repost.by} />
                  </Link>
                </span>
              </p>
            )}
            {item.reply && <ParentLine parent={item.reply.parent} />}
          </>
        }
        post={post}
        via={via}
      />
    </li>
  )
})

function isMuted(person: FeedItem['post']['author'] | undefined): boolean {
  const { muted = false, blocking } = person?.viewer ?? {}
  return muted || blocking !== undefined
}

type Parent = NonNullable<FeedItem['reply']>['parent']

/** The post that a reply answers, as one line. */
function ParentLine({ parent }: { readonly parent: Parent }) {
  if (!postView.isTypeOf(parent)) return <p className={styles.context}>{t.feed.replyToMissing}</p>
  const { text } = parent.record as { readonly text?: unknown }
  return (
    <p className={styles.context}>
      <Reply aria-hidden size={14} />
      <Link className={styles.parent} href={postPath(parent.uri)}>
        {t.feed.replyTo(nameOf(parent.author))}{' '}
        {typeof text === 'string' && text !== '' && <span dir="auto">{text}</span>}
      </Link>
    </p>
  )
}
