import { useEffect, useRef } from 'react'
import { connection, probe } from '../../api/connection.ts'
import { serverState, useDesktopCall } from '../../api/desktop.ts'
import { useStore } from '../../store.ts'
import { t } from '../../strings/en.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'

/** Shown while the server does not respond or, in the desktop, is stopped or restarting. */
export function ConnectionBanner() {
  const state = useStore(serverState)
  if (state?.kind === 'stopped') return <StoppedBanner />
  if (state === undefined || state.kind === 'running') return <LostBanner />
  return <Banner>{state.kind === 'stopping' ? t.connection.stopping : t.connection.restarting}</Banner>
}

function StoppedBanner() {
  const start = useDesktopCall('server.start')
  const action = (
    <Button busy={start.isPending} onClick={() => start.mutate([])} size="s">
      {t.server.start}
    </Button>
  )
  return (
    <Banner action={action} variant="warn">
      <strong>{t.connection.stopped}</strong> {t.connection.stoppedDetail}
    </Banner>
  )
}

function LostBanner() {
  const { up } = useStore(connection)
  const wasUp = useRef(up)
  useEffect(() => {
    if (up && !wasUp.current) toast(t.connection.back)
    wasUp.current = up
  }, [up])
  if (up) return null
  const action = (
    <Button onClick={() => void probe()} size="s">
      {t.connection.now}
    </Button>
  )
  return (
    <Banner action={action} variant="warn">
      <strong>{t.connection.lost}</strong> {t.connection.retrying}
    </Banner>
  )
}
