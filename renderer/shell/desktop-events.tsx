import { useQueries, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useLocation } from 'wouter'
import type { DesktopBridge } from '../../electron/ground/bridge.ts'
import { connection, probe } from '../api/connection.ts'
import { invalidate, keyOf, serverState } from '../api/desktop.ts'
import { unreadCountQuery } from '../api/notifications.ts'
import { useSessions } from '../api/sessions.ts'
import { useStore } from '../store.ts'
import { unsavedContents, unsavedForms } from '../ui/unsaved.ts'

/** Handles events of the desktop, and reports unread count and unsaved changes to it. Renders nothing. */
export function DesktopEvents({ desktop }: { readonly desktop: DesktopBridge }) {
  const client = useQueryClient()
  const [, navigate] = useLocation()
  const state = useStore(serverState)
  useEffect(() => desktop.on('navigate', (path) => navigate(path)), [desktop, navigate])
  useEffect(
    () => desktop.on('settings', (view) => client.setQueryData(keyOf('settings.view'), view)),
    [desktop, client],
  )
  useEffect(() => desktop.on('outbox', () => void invalidate(client, 'outbox.list')), [desktop, client])
  // Probe at once instead of waiting for the next interval.
  useEffect(() => {
    if (state?.kind === 'running' && !connection.get().up) void probe()
  }, [state])
  const isUnsaved = useStore(unsavedForms) + useStore(unsavedContents) > 0
  useEffect(() => {
    desktop.setUnsaved(isUnsaved)
  }, [desktop, isUnsaved])
  useUnreadBadge(desktop)
  return null
}

/** The current account has a stream; the others are polled, also in a hidden window. */
const pollMs = 30_000

/** Reports the unread count of all accounts to the desktop. */
function useUnreadBadge(desktop: DesktopBridge): void {
  const sessions = useSessions().filter(({ status }) => status !== 'takendown')
  const unread = useQueries({
    queries: sessions.map(({ did }) => ({
      ...unreadCountQuery(did),
      refetchInterval: pollMs,
      refetchIntervalInBackground: true,
    })),
    combine: (counts) => counts.reduce((sum, { data }) => sum + (data?.count ?? 0), 0),
  })
  useEffect(() => {
    desktop.setUnread(unread)
  }, [desktop, unread])
}
