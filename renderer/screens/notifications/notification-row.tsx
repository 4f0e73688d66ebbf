import {
  AtSign,
  BadgeCheck,
  BadgeMinus,
  Bell,
  Heart,
  type LucideIcon,
  MessageCircle,
  Package,
  Quote,
  Repeat2,
  SquarePen,
  UserPlus,
} from 'lucide-react'
import { memo } from 'react'
import { Link } from 'wouter'
import type { Notification } from '../../api/notifications.ts'
import { t } from '../../strings/en.ts'
import { listParts } from '../../strings/format.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { postPath } from '../post/post-path.ts'
import { isSameGroup, type NotificationGroup, postOf } from './groups.ts'
import styles from './notifications.module.css'
import { PostPreview } from './post-preview.tsx'

const icons: Readonly<Record<string, LucideIcon>> = {
  like: Heart,
  'like-via-repost': Heart,
  repost: Repeat2,
  'repost-via-repost': Repeat2,
  follow: UserPlus,
  mention: AtSign,
  reply: MessageCircle,
  quote: Quote,
  'starterpack-joined': Package,
  'subscribed-post': SquarePen,
  verified: BadgeCheck,
  unverified: BadgeMinus,
}

type Author = Notification['author']

export const NotificationRow = memo(
  function NotificationRow({ group }: { readonly group: NotificationGroup }) {
    const [newest] = group
    const { reason, author, indexedAt } = newest
    const Icon = icons[reason] ?? Bell
    const isUnread = group.some(({ isRead }) => !isRead)
    const authors = [...new Map(group.map((one) => [one.author.did, one.author])).values()]
    const post = postOf(newest)
    const sentence = (
      <>
        {isUnread && <span className="visually-hidden">{t.notifications.unread} </span>}
        <Names of={authors} /> {t.notifications.reasons[reason] ?? reason}
      </>
    )
    return (
      <li className={styles.row} data-unread={isUnread}>
        <div className={styles.face}>
          <Avatar handle={author.handle} picture={author.avatar} />
          <span className={styles.reason}>
            <Icon aria-hidden size={12} strokeWidth={2.25} />
          </span>
        </div>
        <div className={styles.text}>
          <p>
            {post === undefined ? (
              sentence
            ) : (
              <Link className={styles.open} href={postPath(post)}>
                {sentence}
              </Link>
            )}
          </p>
          <PostPreview notification={newest} post={post} />
          {authors.length > 1 && <People authors={authors} />}
        </div>
        <div className={styles.time}>
          <RelativeTime at={indexedAt} />
        </div>
      </li>
    )
  },
  (a, b) => isSameGroup(a.group, b.group),
)

/** More names than this are counted instead. */
const namedAuthors = 3

/** “Erin”, “Erin and Bob”, “Erin, Bob and 4 others”. */
function Names({ of: authors }: { readonly of: readonly Author[] }) {
  const named = authors.length > namedAuthors ? authors.slice(0, namedAuthors - 1) : authors
  const others = authors.length - named.length
  const items = [...named.map(nameOf), ...(others > 0 ? [t.notifications.others(others)] : [])]
  return listParts(items).map(({ text, item }) =>
    item === undefined || item >= named.length ? (
      text
    ) : (
      <strong key={item} title={named[item]?.handle}>
        {text}
      </strong>
    ),
  )
}

function nameOf({ displayName, handle }: Author): string {
  return displayName || handle
}

const shownFaces = 6

/** The faces of a group. If the sentence does not name all of them, a list of the names opens. */
function People({ authors }: { readonly authors: readonly Author[] }) {
  const faces = (
    <span aria-hidden className={styles.faces}>
      {authors.slice(0, shownFaces).map(({ did, handle, avatar }) => (
        <Avatar handle={handle} key={did} picture={avatar} size="s" />
      ))}
    </span>
  )
  if (authors.length <= namedAuthors) return <div className={styles.people}>{faces}</div>
  return (
    <details className={styles.people}>
      <summary>
        {faces}
        {t.notifications.showPeople(authors.length)}
      </summary>
      <ul className={styles.names}>
        {authors.map(({ did, handle, displayName, avatar }) => (
          <li key={did}>
            <Avatar handle={handle} picture={avatar} size="s" />
            <span>
              {displayName && <strong>{displayName}</strong>} {handle}
            </span>
          </li>
        ))}
      </ul>
    </details>
  )
}
