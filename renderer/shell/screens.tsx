import { useEffect, useLayoutEffect, useRef } from 'react'
import { Route, Switch, useLocation } from 'wouter'
import { NotFoundScreen } from '../screens/not-found.tsx'
import { markNavigation } from '../ui/page.tsx'
import { innerScreens, routes } from './routes.tsx'

/** The screen of the current path. */
export function Screens() {
  useNavigation()
  return (
    <Switch>
      {routes.map(({ path, screen }) => (
        <Route component={screen} key={path} path={path} />
      ))}
      {innerScreens.map(([path, screen]) => (
        <Route component={screen} key={path} path={path} />
      ))}
      <Route component={NotFoundScreen} />
    </Switch>
  )
}

/** Scroll positions by history entry. */
const scrollPositions = new Map<string | undefined, number>()

const entry = () => window.navigation?.currentEntry?.key

/** Restores the scroll position on navigation, and lets the new screen take the focus. */
function useNavigation(): void {
  const [path] = useLocation()
  const previous = useRef(path)
  if (previous.current !== path) markNavigation()
  useEffect(() => {
    // The browser would restore the position before the screen is rendered. On reload it does so correctly.
    history.scrollRestoration = 'manual'
    const restoreDefault = () => {
      history.scrollRestoration = 'auto'
    }
    const save = () => scrollPositions.set(entry(), window.scrollY)
    document.addEventListener('scroll', save, { passive: true })
    window.addEventListener('pagehide', restoreDefault)
    return () => {
      document.removeEventListener('scroll', save)
      window.removeEventListener('pagehide', restoreDefault)
    }
  }, [])
  // A layout effect: runs before scroll listeners see the new screen.
  useLayoutEffect(() => {
    if (previous.current !== path) window.scrollTo(0, scrollPositions.get(entry()) ?? 0)
    previous.current = path
  }, [path])
}
