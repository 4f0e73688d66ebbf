import { useIsMutating, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useLocation } from 'wouter'
import type { DesktopBridge } from '../../electron/ground/bridge.ts'
import { connection, probe } from '../api/connection.ts'
import { invalidate, keyOf, serverState } from '../api/desktop.ts'
import { useStore } from '../store.ts'
import { holds, unsavedContents, unsavedForms } from '../ui/unsaved.ts'
import { restoreScroll } from './restore-scroll.ts'

/** Handles events of the desktop, and reports to it what would be lost with the page. Renders nothing. */
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
  const isHeld = useStore(holds) + useIsMutating() > 0
  useEffect(() => {
    desktop.setHeld(isHeld)
  }, [desktop, isHeld])
  useScroll(desktop)
  return null
}

/** Continues where the last page was scrolled to, and reports the position. */
function useScroll(desktop: DesktopBridge): void {
  useEffect(() => restoreScroll(desktop.initialScroll), [desktop])
  useEffect(() => {
    const report = () => desktop.setScroll(window.scrollY)
    document.addEventListener('scroll', report, { passive: true })
    return () => document.removeEventListener('scroll', report)
  }, [desktop])
}
