import { Router } from 'wouter'
import { isUsable } from './api/desktop.ts'
import { useMaybeSession } from './api/sessions.ts'
import { desktop } from './bridge.ts'
import { authorizedRequest, isEntrance } from './entrances.ts'
import { isLocal, screens } from './navigation.ts'
import { RestoredDialog } from './parts/backups/restored.tsx'
import { Entrance } from './screens/entrance/entrance.tsx'
import { Halted } from './screens/halted/halted.tsx'
import { useClosing } from './shell/closing.ts'
import { DesktopEvents } from './shell/desktop-events.tsx'
import { LeaveDialog } from './shell/leave-dialog.tsx'
import { useScreenLocation } from './shell/location.ts'
import { Outside } from './shell/outside.tsx'
import { useRestoreFocus } from './shell/restore-focus.ts'
import { Shell } from './shell/shell.tsx'
import { TestNetworkLine } from './shell/test-network.tsx'
import { useStore } from './store.ts'
import { Toasts } from './ui/toast.tsx'

export function App() {
  useRestoreFocus()
  useClosing()
  return (
    <Router hook={useScreenLocation}>
      {desktop && <DesktopEvents desktop={desktop} />}
      <Content />
      {!desktop && <TestNetworkLine />}
      <LeaveDialog />
      <RestoredDialog />
      <Toasts />
    </Router>
  )
}

function Content() {
  const session = useMaybeSession()
  const [path] = useScreenLocation()
  const usable = useStore(isUsable)
  const isApart = isEntrance(path) || authorizedRequest(path) !== undefined
  if (usable && session && !isApart) return <Shell key={session.did} />
  if (screens.some((screen) => screen.path === path && isLocal(screen))) return <Outside />
  return usable ? <Entrance /> : <Halted />
}
