import { useEffect, useState } from 'react'
import { formatDateTime, formatRelative } from '../strings/format.ts'

const everyMs = 30_000

/** The time, anew every half minute. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [])
  return now
}

/** “3 minutes ago”, with the exact time on hover. @param at ISO 8601 */
export function RelativeTime({ at }: { readonly at: string }) {
  const now = useNow()
  return (
    <time dateTime={at} title={formatDateTime(at)}>
      {formatRelative(at, now)}
    </time>
  )
}
