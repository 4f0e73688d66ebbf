import { Link, useLocation } from 'wouter'
import { groupsOf, isLocal, isWithin } from '../../navigation.ts'
import { t } from '../../strings/en.ts'
import styles from './desktop-links.module.css'

const entries = groupsOf(isLocal).flatMap((group) => group.entries)

/** Links to the screens that work before sign-in, and while the server is stopped. */
export function DesktopLinks() {
  const [path] = useLocation()
  return (
    <nav aria-label={t.nav.thisServer}>
      <ul className={styles.links}>
        {entries.map(({ name, screens }) => (
          <li key={name}>
            <Link
              aria-current={screens.some((screen) => isWithin(path, screen)) ? 'page' : undefined}
              href={screens[0]?.path ?? '/'}
            >
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
