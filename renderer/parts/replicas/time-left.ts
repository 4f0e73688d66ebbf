/** How long a transfer still takes, by its speed so far. */
import { useState } from 'react'

export interface Sent {
  /** In bytes. */
  readonly sent: number
  readonly total: number
}

/** Shorter observations say nothing of the speed. */
const minObservedMs = 10_000

/** Returns the seconds that are left; undefined while the speed is not known. @param at times in milliseconds */
export function secondsLeft(
  first: Pick<Observed, 'sent' | 'at'>,
  { sent, total }: Sent,
  at: number,
): number | undefined {
  const [ms, bytes] = [at - first.at, sent - first.sent]
  if (ms < minObservedMs || bytes <= 0) return undefined
  return (Math.max(0, total - sent) * ms) / bytes / 1000
}

interface Observed extends Sent {
  readonly at: number
}

/** Watches a transfer from its first rendering on. @param at when the server reported it, in milliseconds */
export function useSecondsLeft(progress: Sent | undefined, at: number): number | undefined {
  const [first, setFirst] = useState<Observed>()
  if (!progress) return undefined
  const isAnother = !first || progress.sent < first.sent || progress.total !== first.total
  if (isAnother) setFirst({ ...progress, at })
  return isAnother ? undefined : secondsLeft(first, progress, at)
}
