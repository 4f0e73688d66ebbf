import { ArrowLeft } from 'lucide-react'
import { Link, useLocation } from 'wouter'
import { t } from '../strings/en.ts'
import styles from './outside.module.css'
import { desktopRoutes } from './routes.tsx'
import { Screens } from './screens.tsx'

/** The frame of desktop screens without a session or a running server. */
export function Outside() {
  return (
    <div>
      <header className={styles.head}>
        <Link className={styles.back} href="/">
          <ArrowLeft aria-hidden size={16} />
          {t.outside.back}
        </Link>
        <DesktopLinks />
      </header>
      <main id="content" tabIndex={-1}>
        <Screens />
      </main>
    </div>
  )
}

/** Links to the screens that need neither a session nor the server. */
export function DesktopLinks() {
  const [path] = useLocation()
  return (
    <nav aria-label={t.nav.computer}>
      <ul className={styles.links}>
        {desktopRoutes.map((route) => (
          <li key={route.path}>
            <Link aria-current={route.path === path ? 'page' : undefined} href={route.path}>
              {route.name}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
