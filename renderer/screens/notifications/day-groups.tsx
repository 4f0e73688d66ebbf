import { memo } from 'react'
import type { Notification } from '../../api/notifications.ts'
import { formatDay } from '../../strings/format.ts'
import { NearbyList } from '../../ui/nearby-list.tsx'
import { useNow } from '../../ui/time.tsx'
import { groupsOf, isSameGroup, keyOfGroup, type NotificationGroup } from './groups.ts'
import { NotificationRow } from './notification-row.tsx'
import styles from './notifications.module.css'

/** A long day is split into several lists: a new page renders one list again, and only lists near the window are in the document. */
const chunkSize = 50

/** The notifications by day, related ones in one row. */
export function DayGroups({ notifications }: { readonly notifications: readonly Notification[] }) {
  const now = useNow()
  const days = Map.groupBy(notifications, ({ indexedAt }) => new Date(indexedAt).toDateString())
  return (
    <div className={styles.days}>
      {[...days].map(([day, ofDay]) => (
        <Day groups={groupsOf(ofDay)} key={day} name={formatDay(ofDay[0]?.indexedAt ?? day, now)} />
      ))}
    </div>
  )
}

function Day({ groups, name }: { readonly groups: readonly NotificationGroup[]; readonly name: string }) {
  return (
    <section>
      <h2 className={styles.day}>{name}</h2>
      <div className={styles.list}>
        {chunksOf(groups).map((chunk, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a chunk is its place in the day
          <Chunk groups={chunk} key={index} />
        ))}
      </div>
    </section>
  )
}

function chunksOf(groups: readonly NotificationGroup[]): readonly (readonly NotificationGroup[])[] {
  const count = Math.ceil(groups.length / chunkSize)
  return Array.from({ length: count }, (_, index) => groups.slice(index * chunkSize, (index + 1) * chunkSize))
}

const Chunk = memo(
  function Chunk({ groups }: { readonly groups: readonly NotificationGroup[] }) {
    return (
      <NearbyList className={styles.chunk} of={groups[0]?.[0] ?? groups}>
        {() => groups.map((group) => <NotificationRow group={group} key={keyOfGroup(group[0])} />)}
      </NearbyList>
    )
  },
  // Grouping creates new arrays: compare the items to skip unchanged lists.
  (a, b) => isSame(a.groups, b.groups),
)

function isSame(a: readonly NotificationGroup[], b: readonly NotificationGroup[]): boolean {
  return a.length === b.length && a.every((group, index) => isSameGroup(group, b[index] ?? []))
}
