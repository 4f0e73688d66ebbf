import { Link, useLocation } from 'wouter'
import { groupsOf, isWithin, type Screen } from '../navigation.ts'
import { EntryBadge } from './badges.tsx'
import styles from './tabs.module.css'

/** Links between the screens of the current entry of the navigation, if it has several. */
export function Tabs({ isShown }: { isShown(screen: Screen): boolean }) {
  const [path] = useLocation()
  const entry = groupsOf(isShown)
    .flatMap(({ entries }) => entries)
    .find(({ screens }) => screens.some((screen) => isWithin(path, screen)))
  if (entry === undefined || entry.screens.length < 2) return null
  return (
    <nav aria-label={entry.name} className={styles.tabs}>
      <ul>
        {entry.screens.map((screen) => (
          <li key={screen.path}>
            <Link
              aria-current={screen.path === path ? 'page' : isWithin(path, screen) ? 'true' : undefined}
              className={styles.tab}
              href={screen.path}
            >
              {screen.name}
              <EntryBadge path={screen.path} />
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
