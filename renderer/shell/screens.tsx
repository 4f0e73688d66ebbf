import { type ComponentType, useEffect, useLayoutEffect, useRef } from 'react'
import { Link, Route, Switch, useLocation } from 'wouter'
import { isAtServer } from '../api/endpoint.ts'
import { desktop } from '../bridge.ts'
import { groupsOf, isWithin, type Screen } from '../navigation.ts'
import { AboutScreen } from '../screens/about/about.tsx'
import { AccountScreen } from '../screens/account/account.tsx'
import { ServiceTokensScreen } from '../screens/account/service-tokens.tsx'
import { AccountsScreen } from '../screens/accounts/accounts.tsx'
import { AppsScreen } from '../screens/apps/apps.tsx'
import { BackupsScreen } from '../screens/backups/backups.tsx'
import { ConformanceScreen } from '../screens/conformance/conformance.tsx'
import { CollectionScreen } from '../screens/data/collection.tsx'
import { DataScreen } from '../screens/data/data.tsx'
import { HomeScreen } from '../screens/home/home.tsx'
import { InvitesScreen } from '../screens/invites/invites.tsx'
import { LogsScreen } from '../screens/logs/logs.tsx'
import { MoveScreen } from '../screens/move/move.tsx'
import { NetworkScreen } from '../screens/network/network.tsx'
import { NotFoundScreen } from '../screens/not-found/not-found.tsx'
import { NotificationsScreen } from '../screens/notifications/notifications.tsx'
import { OutboxScreen } from '../screens/outbox/outbox.tsx'
import { PersonScreen } from '../screens/people/person.tsx'
import { PostScreen } from '../screens/post/post.tsx'
import { PreferencesScreen } from '../screens/preferences/preferences.tsx'
import { ReportsScreen } from '../screens/reports/reports.tsx'
import { RequestsScreen } from '../screens/requests/requests.tsx'
import { SearchScreen } from '../screens/search/search.tsx'
import { ServerScreen } from '../screens/server/server.tsx'
import { SettingsScreen } from '../screens/settings/settings.tsx'
import { SubscriptionsScreen } from '../screens/subscriptions/subscriptions.tsx'
import { markNavigation, PageTabs } from '../ui/page.tsx'
import { sought } from '../ui/sought.ts'
import { EntryBadge } from './badges.tsx'
import styles from './tabs.module.css'

/**
 * The components of the screens. All are in one bundle: lazy chunks would be missing while the server is down or after an
 * update.
 */

/** Screens by path pattern. */
const screens: Readonly<Record<string, ComponentType>> = {
  '/': HomeScreen,
  '/account': AccountScreen,
  '/apps': AppsScreen,
  '/data': DataScreen,
  '/data/:collection': CollectionScreen,
  '/service-tokens': ServiceTokensScreen,
  '/move': MoveScreen,
  '/notifications': NotificationsScreen,
  '/posts/:repo/:collection/:rkey': PostScreen,
  '/search': SearchScreen,
  '/search/:kind/:words': SearchScreen,
  '/subscriptions': SubscriptionsScreen,
  '/settings': SettingsScreen,
  '/preferences': PreferencesScreen,
  '/people/:did': PersonScreen,
  '/invites': InvitesScreen,
  '/accounts': AccountsScreen,
  '/reports': ReportsScreen,
  '/network': NetworkScreen,
  '/requests': RequestsScreen,
  '/conformance': ConformanceScreen,
  '/backups': BackupsScreen,
  ...(isAtServer && { '/server': ServerScreen, '/outbox': OutboxScreen, '/logs': LogsScreen }),
  ...(desktop && {
    '/about': AboutScreen,
  }),
}

/** The screen of the current path, with the tabs of its entry in the navigation. */
export function Screens({ isShown }: { isShown(screen: Screen): boolean }) {
  useNavigation()
  return (
    <PageTabs value={<Tabs isShown={isShown} />}>
      <Switch>
        {Object.entries(screens).map(([path, screen]) => (
          <Route component={screen} key={path} path={path} />
        ))}
        <Route component={NotFoundScreen} />
      </Switch>
    </PageTabs>
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
    if (sought.get()?.path !== path) sought.set(undefined)
    previous.current = path
  }, [path])
}

/** Links between the screens of the current entry of the navigation, if it has several. */
function Tabs({ isShown }: { isShown(screen: Screen): boolean }) {
  const [path] = useLocation()
  const entry = groupsOf(isShown)
    .flatMap(({ entries }) => entries)
    .find(({ screens }) => screens.some((screen) => isWithin(path, screen)))
  if (entry === undefined || entry.screens.length < 2) return null
  return (
    <nav aria-label={entry.name} className={styles.tabs}>
      <ul>
        {entry.screens.map((screen, index) => (
          <li key={screen.path}>
            <Link
              aria-current={screen.path === path ? 'page' : isWithin(path, screen) ? 'true' : undefined}
              className={styles.tab}
              href={screen.path}
            >
              {screen.name}
              {/* The count of the first one is beside the entry. */}
              {index > 0 && <EntryBadge path={screen.path} />}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
