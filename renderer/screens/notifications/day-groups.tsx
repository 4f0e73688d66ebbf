import { type CSSProperties, memo } from 'react'
import { keyOfNotification, type Notification } from '../../api/notifications.ts'
import { formatDay } from '../../strings/format.ts'
import { useNow } from '../../ui/time.tsx'
import { NotificationRow } from './notification-row.tsx'
import styles from './notifications.module.css'

/** The list, under the days on which they arrived. */
export function DayGroups({ notifications }: { readonly notifications: readonly Notification[] }) {
  const now = useNow()
  const days = Map.groupBy(notifications, ({ indexedAt }) => new Date(indexedAt).toDateString())
  return (
    <div className={styles.days}>
      {[...days].map(([day, ofDay]) => (
        <section className={styles.dayGroup} key={day} style={{ '--rows': ofDay.length } as CSSProperties}>
          <h2 className={styles.day}>{formatDay(ofDay[0]?.indexedAt ?? day, now)}</h2>
          <Rows notifications={ofDay} />
        </section>
      ))}
    </div>
  )
}

const Rows = memo(
  function Rows({ notifications }: { readonly notifications: readonly Notification[] }) {
    return (
      <ul className={styles.list}>
        {notifications.map((notification) => (
          <NotificationRow key={keyOfNotification(notification)} notification={notification} />
        ))}
      </ul>
    )
  },
  // Grouping makes new arrays of the same items; a day that has not changed is not drawn again.
  (a, b) => isSame(a.notifications, b.notifications),
)

function isSame(a: readonly Notification[], b: readonly Notification[]): boolean {
  return a.length === b.length && a.every((one, at) => one === b[at])
}
