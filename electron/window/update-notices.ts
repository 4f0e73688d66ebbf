/** Looks for a newer version at the start and once a day, and reports each version once, if the settings allow it. */

import { t } from '../ground/strings.ts'
import type { Actions } from '../server/actions.ts'
import type { SettingsFile } from '../settings/settings-file.ts'
import { notify } from '../system/notify.ts'
import type { Updates } from '../system/updates.ts'

/** The app may run for weeks. */
const intervalMs = 24 * 60 * 60_000

export interface UpdateNoticesDeps {
  readonly updates: Updates
  readonly file: SettingsFile
  readonly actions: Actions
}

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
