/** How many notifications of each kind arrived on each of the last days. */
import { useQuery } from '@tanstack/react-query'
import { app } from '../../lexicons/generated/index.ts'
import { callAs } from './client.ts'
import type { Notification } from './notifications.ts'
import { useSession } from './sessions.ts'

const { listNotifications } = app.example.notification

export const activityDays = 14
/** At most this many notifications are read, newest first. */
export const maxRead = 500
const pageSize = 100

export interface Activity {
  /** The notifications of each day, oldest day first. */
  readonly days: readonly { readonly day: Date; readonly notifications: readonly Notification[] }[]
  /** Whether there are more than were read. */
  readonly isCapped: boolean
}

export function useActivity() {
  const { did } = useSession()
  return useQuery({
    queryKey: [did, 'activity'],
    queryFn: ({ signal }) => readActivity(did, signal),
    structuralSharing: false,
  })
}

async function readActivity(did: string, signal: AbortSignal): Promise<Activity> {
  const days = Array.from({ length: activityDays }, (_, index) => startOfDay(index - activityDays + 1))
  const first = days[0]?.getTime() ?? 0
  const read: Notification[] = []
  let cursor: string | undefined
  do {
    const page = await callAs(did, listNotifications, { params: { limit: pageSize, cursor }, signal })
    const recent = page.notifications.filter(({ indexedAt }) => Date.parse(indexedAt) >= first)
    read.push(...recent)
    cursor = recent.length < page.notifications.length ? undefined : page.cursor
  } while (cursor !== undefined && read.length < maxRead)
  const byDay = Map.groupBy(read, ({ indexedAt }) => new Date(indexedAt).toDateString())
  return {
    days: days.map((day) => ({ day, notifications: byDay.get(day.toDateString()) ?? [] })),
    isCapped: cursor !== undefined,
  }
}

/** Local midnight. @param offset in days from today */
function startOfDay(offset: number): Date {
  const now = new Date()
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + offset)
}
