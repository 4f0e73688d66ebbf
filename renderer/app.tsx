import { Router } from 'wouter'
import { useHashLocation } from 'wouter/use-hash-location'
import { useMaybeSession } from './api/sessions.ts'
import { entrances } from './entrances.ts'
import { Entrance } from './screens/entrance/entrance.tsx'
import { Shell } from './shell/shell.tsx'
import { Toasts } from './ui/toast.tsx'

export function App() {
  const session = useMaybeSession()
  const [path] = useHashLocation()
  const isEntering = Object.values<string>(entrances).includes(path)
  return (
    <Router hook={useHashLocation}>
      {session && !isEntering ? <Shell key={session.did} /> : <Entrance />}
      <Toasts />
    </Router>
  )
}
