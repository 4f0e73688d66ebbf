import { Menu as MenuIcon } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Route, Switch, useLocation } from 'wouter'
import { useFreshAccount, useIsOwner } from '../api/account.ts'
import { useLive } from '../api/live.ts'
import { useSession } from '../api/sessions.ts'
import { NotFoundScreen } from '../screens/not-found.tsx'
import { TakendownScreen } from '../screens/takendown/takendown.tsx'
import { t } from '../strings/en.ts'
import { Mark } from '../ui/mark.tsx'
import { noteNavigation } from '../ui/page.tsx'
import { AccountBanner, ConnectionBanner } from './banners.tsx'
import { routes } from './routes.tsx'
import styles from './shell.module.css'
import { Shortcuts } from './shortcuts.tsx'
import { Sidebar, sidebarId } from './sidebar.tsx'

/** What surrounds the screens of somebody who is signed in. */
export function Shell() {
  const session = useSession()
  useFreshAccount()
  useLive()
  useNavigationFocus()
  const isOwner = useIsOwner()
  return (
    <div className={styles.shell}>
      <button className={styles.skip} onClick={() => document.querySelector('main')?.focus()} type="button">
        {t.app.skip}
      </button>
      <header className={styles.topBar}>
        <button aria-label={t.nav.open} className={styles.menuButton} popoverTarget={sidebarId} type="button">
          <MenuIcon aria-hidden size={20} />
        </button>
        <Mark size={24} />
        <span>{t.app.name}</span>
      </header>
      <Sidebar isOwner={isOwner} />
      <div className={styles.content}>
        <ConnectionBanner />
        <AccountBanner />
        <main id="content" tabIndex={-1}>
          {session.status === 'takendown' ? <TakendownScreen /> : <Screens />}
        </main>
      </div>
      <Shortcuts isOwner={isOwner} />
    </div>
  )
}

function Screens() {
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
