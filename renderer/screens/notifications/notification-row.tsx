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
import { parseAtUri } from '../../api/at-uri.ts'
import { handleOf, nameOf } from '../../api/names.ts'
import type { Notification } from '../../api/notifications.ts'
import { usePost } from '../../api/views.ts'
import { personPath, postPath } from '../../parts/posts/paths.ts'
import { Thumbnails } from '../../parts/posts/thumbnails.tsx'
import { t } from '../../strings/en.ts'
import { listParts } from '../../strings/format.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Address, PersonName } from '../../ui/person.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { isSameGroup, type NotificationGroup, postOf } from './groups.ts'
import styles from './notifications.module.css'

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
            <Link className={styles.open} href={post === undefined ? personPath(author.did) : postPath(post)}>
              {sentence}
            </Link>
          </p>
          <Origins of={authors} />
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
  return listParts(items).map(({ text, item }) => {
    const author = item === undefined ? undefined : named[item]
    if (!author) return text
    return (
      <strong key={author.did} title={handleOf(author)}>
        <PersonName of={author} />
      </strong>
    )
  })
}

/** The servers of people elsewhere; with more people, the list of names has them. */
function Origins({ of: authors }: { readonly of: readonly Author[] }) {
  if (authors.length > namedAuthors) return null
  return (
    <p className={styles.origins}>
      {authors.map((author) => (
        <Address elsewhereOnly key={author.did} of={author} />
      ))}
    </p>
  )
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
        {authors.map((author) => (
          <li key={author.did}>
            <Avatar handle={author.handle} picture={author.avatar} size="s" />
            <Link href={personPath(author.did)}>
              <PersonName of={author} />
            </Link>
            <Address of={author} />
          </li>
        ))}
      </ul>
    </details>
  )
}

interface PostPreviewProps {
  readonly notification: Notification
  /** The AT URI of the post that the notification is about, if any. */
  readonly post: string | undefined
}

/** The text and pictures of the post that a notification is about. A liked post is loaded; others come with the notification. */
function PostPreview({ notification, post }: PostPreviewProps) {
  const isOwn = post === notification.uri
  const loaded = usePost(isOwn ? undefined : post)
  if (post === undefined) return null
  if (!isOwn && loaded.data === null) return <p className={styles.quote}>{t.post.missing}</p>
  const record = isOwn ? notification.record : loaded.data?.record
  const { text } = (record ?? {}) as { readonly text?: unknown }
  return (
    <>
      {typeof text === 'string' && text !== '' && <p className={styles.quote}>{text}</p>}
      {/* Keeps its place while it loads, so that rows do not move. */}
      {loaded.isLoading && <p className={styles.quote}>{t.notifications.loadingPost}</p>}
      {record && <Thumbnails did={parseAtUri(post).repo} record={record} />}
    </>
  )
}
