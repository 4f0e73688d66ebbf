/** Counts beside the names in the navigation. */
import { Menu as MenuIcon } from 'lucide-react'
import { useDesktopQuery } from '../api/desktop.ts'
import { useUnreadCount } from '../api/notifications.ts'
import { t } from '../strings/en.ts'
import { formatNumber } from '../strings/format.ts'
import { classes } from '../ui/class-names.ts'
import styles from './badges.module.css'

/** The count of a screen, if it has one. */
export function EntryBadge({ path }: { readonly path: string }) {
  if (path === '/notifications') return <UnreadBadge />
  return path === '/outbox' ? <OutboxBadge /> : null
}

function UnreadBadge() {
  const unread = useUnreadCount()
  return <CountBadge label={t.nav.unread(unread)} value={unread} />
}

function OutboxBadge() {
  const { data } = useDesktopQuery('outbox.list')
  const messages = data?.length ?? 0
  return <CountBadge label={t.nav.messages(messages)} value={messages} />
}

/** The button that opens the navigation in narrow windows, with the count of the Inbox. Its name has the count, too. */
export function MenuButton({
  className,
  opens,
}: {
  readonly className: string | undefined
  readonly opens: string
}) {
  const unread = useUnreadCount()
  const name = unread === 0 ? t.nav.open : `${t.nav.open}, ${t.nav.unread(unread)}`
  return (
    <button aria-label={name} className={classes(className, styles.menu)} popoverTarget={opens} type="button">
      <MenuIcon aria-hidden size={20} />
      <CountBadge label={t.nav.unread(unread)} value={unread} />
    </button>
  )
}

function CountBadge({ value, label }: { readonly value: number; readonly label: string }) {
  if (value === 0) return null
  return (
    <span aria-label={label} className={styles.badge} role="img">
      {value > 99 ? t.nav.many : formatNumber(value)}
    </span>
  )
}
