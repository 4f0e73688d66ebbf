/** Reports places of copies that need the person: in the system, once each, and as a line of the tray menu. */

import type { PlaceStatus } from '../../server/operation/replicas/replica-status.ts'
import type { Bus } from '../ground/bus.ts'
import { t } from '../ground/strings.ts'
import type { EmbeddedServer } from '../server/server.ts'
import type { notify } from '../system/notify.ts'
import type { MainWindow } from '../window/window.ts'

const intervalMs = 60_000
/** After a start the places are read first. */
const firstMs = 5000
/** A disk that is connected in the evening is no problem yet. */
const lateMs = 24 * 60 * 60_000

export type CopyNotice = 'elsewhere' | 'late'

export interface CopyNotices {
  readonly current: CopyNotice | undefined
}

export interface CopyNoticesDeps {
  readonly server: EmbeddedServer
  readonly window: MainWindow
  readonly bus: Bus
  readonly notify: typeof notify
}

/** Looks at the copies once per minute. */
export function setupCopyNotices({ server, window, bus, notify }: CopyNoticesDeps): CopyNotices {
  let current: CopyNotice | undefined
  const look = () => {
    const copies = server.services?.operation.copies
    if (!copies) return
    const next = copies.isElsewhere() ? 'elsewhere' : noticeOf(copies.status(), Date.now())
    if (next === current) return
    current = next
    bus.emit('copies')
    if (next !== undefined) notify(t.copies.notices[next], () => window.show('/backups'))
  }
  setInterval(look, intervalMs).unref()
  bus.on('serverState', ({ kind }) => {
    if (kind === 'running') setTimeout(look, firstMs).unref()
  })
  return {
    get current() {
      return current
    },
  }
}

/** Returns the problem that needs the person. @param now in milliseconds */
export function noticeOf(
  places: readonly Pick<PlaceStatus, 'problem'>[],
  now: number,
): CopyNotice | undefined {
  const problems = places.flatMap(({ problem }) => problem ?? [])
  if (problems.some(({ kind }) => kind === 'elsewhere')) return 'elsewhere'
  return problems.some(({ since }) => since && now - since.getTime() >= lateMs) ? 'late' : undefined
}
