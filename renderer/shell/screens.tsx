import { useEffect, useLayoutEffect, useRef } from 'react'
import { Route, Switch, useLocation } from 'wouter'
import { NotFoundScreen } from '../screens/not-found.tsx'
import { noteNavigation } from '../ui/page.tsx'
import { routes } from './routes.tsx'

/** The screen of the path. */
export function Screens() {
  useNavigation()
  return (
    <Switch>
      {routes.map(({ path, screen }) => (
        <Route component={screen} key={path} path={path} />
      ))}
      <Route component={NotFoundScreen} />
    </Switch>
  )
}

/** How far down each visited entry of the history was when it was left. */
const heights = new Map<string | undefined, number>()

const entry = () => window.navigation?.currentEntry?.key

/** Notes that the screen has changed, so that the next one takes the focus; shows it from its top, or as it was left. */
function useNavigation(): void {
  const [path] = useLocation()
  const before = useRef(path)
  if (before.current !== path) noteNavigation()
  useEffect(() => {
    // The browser would do it before the screen is there; what it does for a page that is loaded again is right.
    history.scrollRestoration = 'manual'
    const giveBack = () => {
      history.scrollRestoration = 'auto'
    }
    const note = () => heights.set(entry(), window.scrollY)
    document.addEventListener('scroll', note, { passive: true })
    window.addEventListener('pagehide', giveBack)
    return () => {
      document.removeEventListener('scroll', note)
      window.removeEventListener('pagehide', giveBack)
    }
  }, [])
  // Before anybody hears that the window, with another screen in it, has moved.
  useLayoutEffect(() => {
    if (before.current !== path) window.scrollTo(0, heights.get(entry()) ?? 0)
    before.current = path
  }, [path])
}
