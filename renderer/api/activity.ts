/** How many notifications of each reason arrived on each of the last days. */
import type { DatetimeString } from '@atproto/lex-schema'
import { useMemo } from 'react'
import { com } from '../../lexicons/generated/index.ts'
import { useXrpcQuery } from './hooks.ts'

const activityDays = 14

/** Counted by the server for the days of this computer, oldest day first. @param now in milliseconds */
export function useActivity(now: number) {
  const today = new Date(now).toDateString()
  const starts = useMemo(() => startsUpTo(new Date(today)), [today])
  return useXrpcQuery(com.core.notification.getActivityCounts, { starts })
}

/** The midnights of the last days. Days differ in length when clocks are changed. */
function startsUpTo(today: Date): DatetimeString[] {
  return Array.from({ length: activityDays }, (_, index) => {
    const day = today.getDate() + index - activityDays + 1
    return new Date(today.getFullYear(), today.getMonth(), day).toISOString() as DatetimeString
  })
}
