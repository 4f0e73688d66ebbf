/** Looks for a newer version at the start and once a day, and reports each version once, if the settings allow it. */
import { version } from '../server/platform/util/version.ts'
import type { UpdateState } from './bridge.ts'
import { notify } from './native-notifications.ts'
import type { Parts } from './parts.ts'
import { releaseFeed } from './project.ts'
import { t } from './strings.ts'
import { checkForUpdates } from './updates.ts'

/** The app may run for weeks. */
const intervalMs = 24 * 60 * 60_000

export interface Updates {
  check(): Promise<UpdateState>
  /** The newer version that the last check found. */
  readonly newer: Extract<UpdateState, { kind: 'available' }> | undefined
}

export function setupUpdates(): Updates {
  let last: UpdateState | undefined
  return {
    async check() {
      last = await checkForUpdates({ feed: releaseFeed, current: version })
      return last
    },
    get newer() {
      return last?.kind === 'available' ? last : undefined
    },
  }
}

export type UpdateNoticesDeps = Pick<Parts, 'updates' | 'file' | 'actions'>

/** Checks now and then daily. */
export function setupUpdateNotices({ updates, file, actions }: UpdateNoticesDeps): void {
  const notifyOnce = async () => {
    if (!file.get('settings').checkForUpdates) return
    const known = updates.newer?.version
    const update = await updates.check()
    if (update.kind === 'available' && update.version !== known)
      notify(t.update(update.version), () => actions.openPage('update'))
  }
  void notifyOnce()
  setInterval(() => void notifyOnce(), intervalMs).unref()
}
