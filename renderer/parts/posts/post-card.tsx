import { Heart, MessageCircle, Quote, Repeat2 } from 'lucide-react'
import { Link } from 'wouter'
import type { PostView } from '../../api/views.ts'
import { t } from '../../strings/en.ts'
import { formatDateTime, formatNumber } from '../../strings/format.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { classes } from '../../ui/class-names.ts'
import { Address, PersonName } from '../../ui/person.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { Embed } from './embed.tsx'
import { personPath, postPath } from './paths.ts'
import styles from './post-card.module.css'
import { RichText } from './rich-text.tsx'

/** A post. The main post of the screen is larger and shows its counts; others link to their own screen. */
export function PostCard({ post, isMain = false }: { readonly post: PostView; readonly isMain?: boolean }) {
  const { author, record, embed, indexedAt, uri } = post
  return (
    <article className={classes(styles.post, isMain && styles.main)}>
      <Avatar handle={author.handle} picture={author.avatar} size={isMain ? 'l' : 'm'} />
      <div className={styles.content}>
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
          <footer className={styles.footer}>
            <time dateTime={indexedAt}>{formatDateTime(indexedAt)}</time>
            <Counts post={post} />
          </footer>
        )}
      </div>
    </article>
  )
}

function Counts({ post }: { readonly post: PostView }) {
  const { replyCount = 0, repostCount = 0, quoteCount = 0, likeCount = 0 } = post
  return (
    <ul className={styles.counts}>
      {[
        { Icon: MessageCircle, value: replyCount, name: t.post.replies(replyCount) },
        { Icon: Repeat2, value: repostCount, name: t.post.reposts(repostCount) },
        { Icon: Quote, value: quoteCount, name: t.post.quotes(quoteCount) },
        { Icon: Heart, value: likeCount, name: t.post.likes(likeCount) },
      ].map(({ Icon, value, name }) => (
        <li key={name} title={name}>
          <Icon aria-hidden size={16} strokeWidth={1.75} />
          <span aria-hidden>{formatNumber(value)}</span>
          <span className="visually-hidden">{name}</span>
        </li>
      ))}
    </ul>
  )
}
