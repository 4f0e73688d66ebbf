/** Shows new notifications of the signed-in accounts in the system, for the reasons whose preference is push. */

import type { Arrivals } from '../../server/app/notifications/arrivals.ts'
import { arrivedPushes, type Push } from '../../server/app/push/pushed.ts'
import type { Bus } from '../ground/bus.ts'
import { manyArrived, titleFor } from '../ground/strings.ts'
import type { EmbeddedServer } from '../server/server.ts'
import type { Secrets } from '../settings/secrets.ts'
import { signedIn } from '../settings/session-dids.ts'
import type { SettingsFile } from '../settings/settings-file.ts'
import { notify } from '../system/notify.ts'
import type { MainWindow } from './window.ts'

export interface NotificationsDeps {
  readonly server: EmbeddedServer
  readonly window: MainWindow
  readonly file: SettingsFile
  readonly secrets: Secrets
  readonly bus: Bus
}

/** Notifications that arrive within this time are shown as one batch. */
const batchMs = 300

/** A larger batch is shown as one notification. */
const maxSingle = 3

const maxBodyLength = 200

export function setupNotifications({ server, window, file, secrets, bus }: NotificationsDeps): void {
  const onClick = () => window.show('/notifications')
  let pending: Arrivals[] = []
  bus.on('arrival', (arrivals) => {
    if (!file.get('settings').nativeNotifications || window.isShowing('/notifications')) return
    if (pending.length === 0) setTimeout(show, batchMs)
    pending.push(arrivals)
  })
  // The next start may be with other data.
  bus.on('serverState', () => {
    pending = []
  })

  function show(): void {
    const batch = pending
    pending = []
    const { services } = server
    if (!services) return
    const deps = { ...services, ...services.app }
    for (const did of signedIn(secrets.read('sessions'))) {
      const pushes = batch.flatMap((arrivals) => arrivedPushes(deps, did, arrivals))
      if (pushes.length > maxSingle) notify({ title: manyArrived(pushes.length) }, onClick)
      else for (const push of pushes) notifyOf(push, onClick)
    }
  }
}

function notifyOf({ notification: { author, reason, record } }: Push, onClick: () => void): void {
  const { text } = record as { text?: unknown }
  const body = typeof text === 'string' ? text.slice(0, maxBodyLength) : ''
  notify({ title: titleFor(nameOf(author), reason as Parameters<typeof titleFor>[1]), body }, onClick)
}

/** Marks of text direction and control characters, which would change how the text around a name reads. */
const invisible = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu

/** Returns the name of a person: the display name, else the handle, else the DID. */
function nameOf({ displayName = '', handle, did }: Push['notification']['author']): string {
  return displayName.replace(invisible, '').trim() || (handle === 'handle.invalid' ? did : handle)
}
