import { type CSSProperties, memo } from 'react'
import { keyOfNotification, type Notification } from '../../api/notifications.ts'
import { formatDay } from '../../strings/format.ts'
import { useNow } from '../../ui/time.tsx'
import { NotificationRow } from './notification-row.tsx'
import styles from './notifications.module.css'

/** A long day is split into several lists: a new page renders one list again, and off-screen lists are skipped. */
const chunkSize = 50

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
            {chunksOf(ofDay).map((chunk, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a chunk is its place in the day
              <Chunk key={index} notifications={chunk} />
            ))}
          </div>
        </section>
      ))}
    </div>
  )
}

function chunksOf(ofDay: readonly Notification[]): readonly (readonly Notification[])[] {
  const count = Math.ceil(ofDay.length / chunkSize)
  return Array.from({ length: count }, (_, index) => ofDay.slice(index * chunkSize, (index + 1) * chunkSize))
}

const Chunk = memo(
  function Chunk({ notifications }: { readonly notifications: readonly Notification[] }) {
    return (
      <ul className={styles.chunk} style={{ '--rows': notifications.length } as CSSProperties}>
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
  return a.length === b.length && a.every((one, index) => one === b[index])
}
