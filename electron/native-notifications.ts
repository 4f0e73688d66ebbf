/** Shows new notifications of the signed-in accounts in the system, for the reasons whose preference is push. */
import { Notification } from 'electron'
import type { Arrivals } from '../server/app/notifications/events.ts'
import { arrivedPushes, type Push } from '../server/app/push/pushed.ts'
import type { Parts } from './parts.ts'
import { signedIn } from './sessions.ts'
import { manyArrived, titleFor } from './strings.ts'

export type NotificationsDeps = Pick<Parts, 'server' | 'window' | 'file' | 'secrets' | 'bus'>

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

/** Shown notifications. Without a reference, garbage collection would drop their click listeners. */
const shown = new Set<Notification>()

/**
 * Shows a native notification, where the system supports them.
 * @param onFailed called if the system refuses it, as macOS does for programs that are not signed
 */
export function notify(
  { title, body = '' }: { title: string; body?: string },
  onClick: () => void,
  onFailed: () => void = () => {},
): void {
  if (!Notification.isSupported()) {
    onFailed()
    return
  }
  const notification = new Notification({ title, body: escapeBody(body) })
  shown.add(notification)
  const on = notification.on.bind(notification) as (event: string, listener: () => void) => void
  const onEnd = (event: string, listener: () => void) =>
    on(event, () => {
      shown.delete(notification)
      listener()
    })
  onEnd('click', onClick)
  onEnd('close', () => {})
  onEnd('failed', onFailed)
  notification.show()
}

const markup: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** On Linux the body is markup (Desktop Notifications Specification §Markup). The title never is. */
function escapeBody(body: string): string {
  return process.platform === 'linux' ? body.replace(/[&<>]/g, (character) => markup[character] ?? '') : body
}
