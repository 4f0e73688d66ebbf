/** Looks for a newer version at the start and once a day, and reports each version once, if the settings allow it. */
import { version } from '../server/util/version.ts'
import type { UpdateState } from './bridge.ts'
import { notify } from './native-notifications.ts'
import { releaseFeed } from './project.ts'
import { t } from './strings.ts'
import { checkForUpdates } from './updates.ts'

/** The app may run for weeks. */
const intervalMs = 24 * 60 * 60_000

export interface Updates {
  check(): Promise<UpdateState>
  /** The page of the newest version, if there is one. */
  readonly page: string | undefined
  /** Starts the daily check. */
  watch(options: { readonly isWanted: () => boolean; readonly onClick: () => void }): void
}

export function createUpdates(): Updates {
  let last: UpdateState | undefined
  const check = async () => {
    last = await checkForUpdates({ feed: releaseFeed, current: version })
    return last
  }
  return {
    check,
    get page() {
      return last?.kind === 'available' ? last.page : undefined
    },
    watch({ isWanted, onClick }) {
      const notifyOnce = async () => {
        if (!isWanted()) return
        const known = last?.kind === 'available' ? last.version : undefined
        const update = await check()
        if (update.kind === 'available' && update.version !== known) notify(t.update(update.version), onClick)
      }
      void notifyOnce()
      setInterval(() => void notifyOnce(), intervalMs).unref()
    },
  }
}
