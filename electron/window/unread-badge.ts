/** Keeps the number of unread notifications on the app's icon, also while there is no window. */

import { app, type BrowserWindow } from 'electron'
import { findByDid } from '../../server/store/tables/accounts.ts'
import type { Bus } from '../ground/bus.ts'
import type { EmbeddedServer } from '../server/server.ts'
import type { Secrets } from '../settings/secrets.ts'
import { signedIn } from '../settings/session-dids.ts'
import { showUnread } from '../system/badge.ts'
import type { MainWindow } from './window.ts'

export interface UnreadBadgeDeps {
  readonly server: EmbeddedServer
  readonly window: MainWindow
  readonly secrets: Secrets
  readonly bus: Bus
}

/** Counts for all signed-in accounts. While the server is stopped, the last counts stay. */
export function setupUnreadBadge({ server, window, secrets, bus }: UnreadBadgeDeps): void {
  let counts = new Map<string, number>()
  let ends: readonly (() => void)[] = []

  function show(shown: BrowserWindow | undefined): void {
    const sum = [...counts]
      .filter(([did]) => isReadable(server, did))
      .reduce((all, [, count]) => all + count, 0)
    showUnread(sum, shown)
  }

  function watch(): void {
    for (const end of ends) end()
    const dids = signedIn(secrets.read('sessions'))
    counts = new Map([...counts].filter(([did]) => dids.includes(did)))
    const live = server.services?.app.live
    ends = dids.flatMap((did) => {
      const end = live?.subscribe(did, (message) => {
        if (!('count' in message)) return
        counts.set(did, message.count)
        show(window.browserWindow)
      })
      return end ?? []
    })
    show(window.browserWindow)
  }

  bus.on('serverState', ({ kind }) => kind === 'running' && watch())
  bus.on('sessions', watch)
  secrets.onLateLoad((names) => names.includes('sessions') && watch())
  // On Windows the number belongs to the window.
  app.on('browser-window-created', (_, created) => created.on('show', () => show(created)))
}

/** An account that was taken down cannot read its notifications. */
function isReadable({ services }: EmbeddedServer, did: string): boolean {
  return !services || findByDid(services.store, did)?.takenDownAt === null
}
