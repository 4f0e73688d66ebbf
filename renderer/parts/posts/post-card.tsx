import { memo, type ReactNode } from 'react'
import { Link } from 'wouter'
import type { PostRef } from '../../api/reactions.ts'
import type { PostView } from '../../api/views.ts'
import { formatDateTime } from '../../strings/format.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { classes } from '../../ui/class-names.ts'
import { Address, PersonName } from '../../ui/person.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { Embed } from './embed.tsx'
import { personPath, postPath } from './paths.ts'
import { PostActions } from './post-actions.tsx'
import styles from './post-card.module.css'
import { RichText } from './rich-text.tsx'

interface PostCardProps {
  readonly post: PostView
  /** The main post of the screen is larger; others link to their own screen. */
  readonly isMain?: boolean
  /** Above the author: why the post is shown. */
  readonly context?: ReactNode
  /** The repost through which the post was found. */
  readonly via?: PostRef | undefined
}

/** A post with its actions. */
export const PostCard = memo(function PostCard({ post, isMain = false, context, via }: PostCardProps) {
  const { author, record, embed, indexedAt, uri } = post
  return (
    <article className={classes(styles.post, isMain && styles.main)}>
      <Avatar handle={author.handle} picture={author.avatar} size={isMain ? 'l' : 'm'} />
      <div className={styles.content}>
        {context}
        <header className={styles.author}>
          <Link className={styles.name} href={personPath(author.did)}>
            <PersonName of={author} />
          </Link>
          <Address of={author} />
          {!isMain && (
            <Link className="soft" href={postPath(uri)}>
              <RelativeTime at={indexedAt} />
            </Link>
          )}
        </header>
        <RichText record={record} />
        {embed && <Embed embed={embed} />}
        {isMain && (
          <p className="soft">
            <time dateTime={indexedAt}>{formatDateTime(indexedAt)}</time>
          </p>
        )}
        <PostActions post={post} via={via} />
      </div>
    </article>
  )
})
