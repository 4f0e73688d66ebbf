import { type CSSProperties, memo } from 'react'
import { keyOfNotification, type Notification } from '../../api/notifications.ts'
import { formatDay } from '../../strings/format.ts'
import { useNow } from '../../ui/time.tsx'
import { NotificationRow } from './notification-row.tsx'
import styles from './notifications.module.css'

/** A long day is split into several lists: a new page renders one list again, and off-screen lists are skipped. */
const stretchLength = 50

/** The notifications, grouped by day. */
export function DayGroups({ notifications }: { readonly notifications: readonly Notification[] }) {
  const now = useNow()
  const days = Map.groupBy(notifications, ({ indexedAt }) => new Date(indexedAt).toDateString())
  return (
    <div className={styles.days}>
      {[...days].map(([day, ofDay]) => (
        <section className={styles.dayGroup} key={day} style={{ '--rows': ofDay.length } as CSSProperties}>
          <h2 className={styles.day}>{formatDay(ofDay[0]?.indexedAt ?? day, now)}</h2>
          <div className={styles.list}>
            {stretches(ofDay).map((stretch, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a stretch is its place in the day
              <Stretch key={at} notifications={stretch} />
            ))}
          </div>
        </section>
      ))}
    </div>
  )
}

function stretches(ofDay: readonly Notification[]): readonly (readonly Notification[])[] {
  const count = Math.ceil(ofDay.length / stretchLength)
  return Array.from({ length: count }, (_, at) => ofDay.slice(at * stretchLength, (at + 1) * stretchLength))
}

const Stretch = memo(
  function Stretch({ notifications }: { readonly notifications: readonly Notification[] }) {
    return (
      <ul className={styles.stretch} style={{ '--rows': notifications.length } as CSSProperties}>
        {notifications.map((notification) => (
          <NotificationRow key={keyOfNotification(notification)} notification={notification} />
        ))}
      </ul>
    )
  },
  // Grouping creates new arrays: compare the items to skip unchanged lists.
  (a, b) => isSame(a.notifications, b.notifications),
)

function isSame(a: readonly Notification[], b: readonly Notification[]): boolean {
  return a.length === b.length && a.every((one, at) => one === b[at])
}
