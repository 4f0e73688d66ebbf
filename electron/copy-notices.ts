/** Reports places of copies that need the person: in the system, once each, and as a line of the tray menu. */
import { type CopyNotice, noticeOf } from './copy-problems.ts'
import { notify } from './native-notifications.ts'
import type { Parts } from './parts.ts'
import { t } from './strings.ts'

const intervalMs = 60_000
/** After a start the places are read first. */
const firstMs = 5000

export interface CopyNotices {
  readonly current: CopyNotice | undefined
  /** Looks at the copies once per minute. */
  start(): void
}

export type CopyNoticesDeps = Pick<Parts, 'server' | 'window' | 'bus'>

export function setupCopyNotices({ server, window, bus }: CopyNoticesDeps): CopyNotices {
  let current: CopyNotice | undefined
  const look = () => {
    const copies = server.services?.operation.copies
    if (!copies) return
    const next = noticeOf(copies.status(), Date.now())
    if (next === current) return
    current = next
    bus.emit('copies')
    if (next !== undefined) notify(t.copies.notices[next], () => window.show('/backups'))
  }
  return {
    get current() {
      return current
    },
    start() {
      setInterval(look, intervalMs).unref()
      bus.on('serverState', ({ kind }) => {
        if (kind === 'running') setTimeout(look, firstMs).unref()
      })
    },
  }
}
