/** Shows native notifications. */
import { Notification } from 'electron'

/** Shown notifications, oldest first, kept here because garbage collection would drop their click listeners. */
const shown = new Set<Notification>()
/** Systems keep notifications for days, and some never report their end: the oldest ones are closed. */
const maxShown = 100

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
  for (const oldest of [...shown].slice(0, -maxShown)) {
    shown.delete(oldest)
    oldest.close()
  }
}

const markup: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** On Linux the body is markup (Desktop Notifications Specification §Markup). The title never is. */
function escapeBody(body: string): string {
  return process.platform === 'linux' ? body.replace(/[&<>]/g, (character) => markup[character] ?? '') : body
}
