import { Router } from 'wouter'
import { useHashLocation } from 'wouter/use-hash-location'
import { useMaybeSession } from './api/sessions.ts'
import { isEntrance } from './entrances.ts'
import { Entrance } from './screens/entrance/entrance.tsx'
import { Shell } from './shell/shell.tsx'
import { Toasts } from './ui/toast.tsx'

export function App() {
  const session = useMaybeSession()
  const [path] = useHashLocation()
  return (
    <Router hook={useHashLocation}>
      {session && !isEntrance(path) ? <Shell key={session.did} /> : <Entrance />}
      <Toasts />
    </Router>
  )
}
