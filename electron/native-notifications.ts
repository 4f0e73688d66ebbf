/** What arrives for the accounts that are signed in here is shown by the system, for the reasons whose preference is to push. */
import { Notification } from 'electron'
import type { Arrivals } from '../server/notifications/events.ts'
import { arrivedPushes, type Push } from '../server/push/pushed.ts'
import type { Services } from '../server/services.ts'
import { deedOf, manyArrived } from './strings.ts'

export interface Arriving {
  readonly services: Services
  /** Whether the services are still open. */
  readonly isOpen: () => boolean
  /** The accounts that are signed in. */
  readonly dids: () => readonly string[]
  readonly isWanted: () => boolean
  readonly onClick: () => void
}

/** What arrives within this time is told together. */
const gatherMs = 300
/** More than these are told in one. */
const mostAtOnce = 3
const longestBody = 200

/** Until the server is closed. */
export function showArrivals({ services, isOpen, dids, isWanted, onClick }: Arriving): void {
  let gathered: Arrivals[] = []
  services.notifications.subscribe((arrivals) => {
    if (!isWanted()) return
    if (gathered.length === 0) setTimeout(show, gatherMs)
    gathered.push(arrivals)
  })

  function show(): void {
    const batch = gathered
    gathered = []
    if (!isOpen()) return
    for (const did of dids()) {
      const pushes = batch.flatMap((arrivals) => arrivedPushes(services, did, arrivals))
      if (pushes.length > mostAtOnce) notify({ title: manyArrived(pushes.length) }, onClick)
      else for (const push of pushes) tell(push, onClick)
    }
  }
}

function tell({ notification: { author, reason, record } }: Push, onClick: () => void): void {
  const name = author.displayName || author.handle
  const { text } = record as { text?: unknown }
  const body = typeof text === 'string' ? text.slice(0, longestBody) : ''
  notify({ title: deedOf(name, reason as Parameters<typeof deedOf>[1]), body }, onClick)
}

/** Those that are shown: without a reference their clicks would be lost. */
const shown = new Set<Notification>()

/**
 * Shows a notification of the system, where it has them.
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
