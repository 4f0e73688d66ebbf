import { useSyncExternalStore } from 'react'
import { formatDateTime, formatRelative } from '../strings/format.ts'

const everyMs = 30_000

let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined
const listeners = new Set<() => void>()

/** One shared clock, which runs while it has subscribers. */
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

/** The current time in milliseconds, updated every 30 seconds. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now)
}

interface SinceProps {
  /** What happened, before the time. */
  readonly text: string
  /** ISO 8601; undefined if it never happened. */
  readonly at: string | undefined
  /** Shown if it never happened. */
  readonly never: string
}

/** “Last used 3 minutes ago”. */
export function Since({ text, at, never }: SinceProps) {
  if (at === undefined) return never
  return (
    <>
      {text} <RelativeTime at={at} />
    </>
  )
}

interface RelativeTimeProps {
  /** ISO 8601. */
  readonly at: string
  /** It cannot be in the future: “now” if the clock of this computer is behind that of the server. */
  readonly isPast?: boolean
}

/** “3 minutes ago”, with the exact time as tooltip. Renders again only when the text changes. */
export function RelativeTime({ at, isPast = false }: RelativeTimeProps) {
  const text = useSyncExternalStore(subscribe, () =>
    formatRelative(at, isPast ? Math.max(now, Date.parse(at)) : now),
  )
  return (
    <time dateTime={at} title={formatDateTime(at)}>
      {text}
    </time>
  )
}
