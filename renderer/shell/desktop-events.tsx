import { useQueries, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useLocation } from 'wouter'
import type { DesktopBridge } from '../../electron/bridge.ts'
import { connection, probe } from '../api/connection.ts'
import { keyOf, refresh, serverState } from '../api/desktop.ts'
import { unreadCountOf } from '../api/notifications.ts'
import { useSessions } from '../api/sessions.ts'
import { useStore } from '../api/store.ts'
import { unsavedForms } from '../ui/unsaved.ts'

/** Goes along with the desktop: screens it wants shown, what it says has changed, and the badge of its icon. Shows nothing. */
export function DesktopEvents({ desktop }: { readonly desktop: DesktopBridge }) {
  const client = useQueryClient()
  const [, navigate] = useLocation()
  const state = useStore(serverState)
  useEffect(() => desktop.on('navigate', (path) => navigate(path)), [desktop, navigate])
  useEffect(
    () => desktop.on('settings', (view) => client.setQueryData(keyOf('settings.view'), view)),
    [desktop, client],
  )
  useEffect(() => desktop.on('outbox', () => void refresh(client, 'outbox.list')), [desktop, client])
  // The page need not wait for its next try to find out.
  useEffect(() => {
    if (state?.kind === 'running' && !connection.get().up) void probe()
  }, [state])
  const isUnsaved = useStore(unsavedForms) > 0
  useEffect(() => {
    desktop.setUnsaved(isUnsaved)
  }, [desktop, isUnsaved])
  useUnreadBadge(desktop)
  return null
}

/** The account shown has a stream; how the others are doing is asked for, in a hidden window as well: that is when it matters. */
const everyMs = 30_000

/** Tells the desktop how many notifications are unread over all accounts. */
function useUnreadBadge(desktop: DesktopBridge): void {
  const sessions = useSessions().filter(({ status }) => status !== 'takendown')
  const unread = useQueries({
    queries: sessions.map(({ did }) => ({
      ...unreadCountOf(did),
      refetchInterval: everyMs,
      refetchIntervalInBackground: true,
    })),
    combine: (counts) => counts.reduce((sum, { data }) => sum + (data?.count ?? 0), 0),
  })
  useEffect(() => {
    desktop.setUnread(unread)
  }, [desktop, unread])
}
