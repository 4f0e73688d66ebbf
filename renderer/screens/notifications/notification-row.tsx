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
import type { Notification } from '../../api/notifications.ts'
import { t } from '../../strings/en.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { RelativeTime } from '../../ui/time.tsx'
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

export const NotificationRow = memo(function NotificationRow({
  notification,
}: {
  readonly notification: Notification
}) {
  const { author, reason, record, isRead, indexedAt } = notification
  const Icon = icons[reason] ?? Bell
  const { text } = record as { text?: unknown }
  return (
    <li className={styles.row} data-unread={!isRead}>
      <div className={styles.face}>
        <Avatar handle={author.handle} />
        <span className={styles.reason}>
          <Icon aria-hidden size={12} strokeWidth={2.25} />
        </span>
      </div>
      <div className={styles.text}>
        <p>
          {!isRead && <span className="visually-hidden">{t.notifications.unread} </span>}
          <strong title={author.handle}>{author.displayName || author.handle}</strong>{' '}
          {t.notifications.reasons[reason] ?? reason}
        </p>
        {typeof text === 'string' && text !== '' && <p className={styles.quote}>{text}</p>}
      </div>
      <div className={styles.time}>
        <RelativeTime at={indexedAt} />
      </div>
    </li>
  )
})
