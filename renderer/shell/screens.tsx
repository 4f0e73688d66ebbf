import { useEffect, useRef } from 'react'
import { Route, Switch, useLocation } from 'wouter'
import { NotFoundScreen } from '../screens/not-found.tsx'
import { noteNavigation } from '../ui/page.tsx'
import { routes } from './routes.tsx'

/** The screen of the path. */
export function Screens() {
  useNavigationFocus()
  return (
    <Switch>
      {routes.map(({ path, screen }) => (
        <Route component={screen} key={path} path={path} />
      ))}
      <Route component={NotFoundScreen} />
    </Switch>
  )
}

/** Notes that the screen has changed, so that the next one takes the focus, and shows it from its top. */
function useNavigationFocus(): void {
  const [path] = useLocation()
  const before = useRef(path)
  if (before.current !== path) noteNavigation()
  useEffect(() => {
    if (before.current !== path) window.scrollTo(0, 0)
    before.current = path
  }, [path])
}
