import { useSyncExternalStore } from 'react'
import { formatDateTime, formatRelative } from '../strings/format.ts'

const everyMs = 30_000

let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined
const listeners = new Set<() => void>()

/** One clock for all: it goes while somebody looks. */
function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    now = Date.now()
    timer = setInterval(tick, everyMs)
  }
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) clearInterval(timer)
  }
}

function tick(): void {
  now = Date.now()
  for (const listener of listeners) listener()
}

/** The time in milliseconds, anew every half minute. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now)
}

/** “3 minutes ago”, with the exact time on hover. Drawn again only when the words change. @param at ISO 8601 */
export function RelativeTime({ at }: { readonly at: string }) {
  const text = useSyncExternalStore(subscribe, () => formatRelative(at, now))
  return (
    <time dateTime={at} title={formatDateTime(at)}>
      {text}
    </time>
  )
}
