import { Link, useLocation } from 'wouter'
import { desktopEntries } from '../navigation.ts'
import { t } from '../strings/en.ts'
import styles from './desktop-links.module.css'

/** Links to the screens that need neither a session nor the server. */
export function DesktopLinks() {
  const [path] = useLocation()
  return (
    <nav aria-label={t.nav.computer}>
      <ul className={styles.links}>
        {desktopEntries.map((entry) => (
          <li key={entry.path}>
            <Link aria-current={entry.path === path ? 'page' : undefined} href={entry.path}>
              {entry.name}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
