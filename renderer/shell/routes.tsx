/**
 * The screens and their place in the navigation. All are in one bundle: lazy chunks would be missing while the server is down
 * or after an update.
 */
import {
  Archive,
  Bell,
  Database,
  Globe,
  House,
  IdCard,
  Info,
  KeyRound,
  type LucideIcon,
  MonitorSmartphone,
  Radio,
  ScrollText,
  Send,
  Server,
  SlidersHorizontal,
  Stamp,
  Ticket,
  UsersRound,
} from 'lucide-react'
import type { ComponentType } from 'react'
import { desktop } from '../bridge.ts'
import { AboutScreen } from '../screens/about/about.tsx'
import { AccountScreen } from '../screens/account/account.tsx'
import { AccountsScreen } from '../screens/accounts/accounts.tsx'
import { AppPasswordsScreen } from '../screens/app-passwords/app-passwords.tsx'
import { BackupsScreen } from '../screens/backups/backups.tsx'
import { CollectionScreen } from '../screens/data/collection.tsx'
import { DataScreen } from '../screens/data/data.tsx'
import { HomeScreen } from '../screens/home/home.tsx'
import { InvitesScreen } from '../screens/invites/invites.tsx'
import { LogsScreen } from '../screens/logs/logs.tsx'
import { MoveScreen } from '../screens/move/move.tsx'
import { NetworkScreen } from '../screens/network/network.tsx'
import { NotificationsScreen } from '../screens/notifications/notifications.tsx'
import { OutboxScreen } from '../screens/outbox/outbox.tsx'
import { PersonScreen } from '../screens/people/person.tsx'
import { PostScreen } from '../screens/post/post.tsx'
import { PreferencesScreen } from '../screens/preferences/preferences.tsx'
import { ServerScreen } from '../screens/server/server.tsx'
import { ServiceTokensScreen } from '../screens/service-tokens/service-tokens.tsx'
import { SessionsScreen } from '../screens/sessions/sessions.tsx'
import { SubscriptionsScreen } from '../screens/subscriptions/subscriptions.tsx'
import { t } from '../strings/en.ts'
import { OutboxBadge, UnreadBadge } from './badges.tsx'

export interface Route {
  readonly path: string
  readonly name: string
  readonly icon: LucideIcon
  readonly screen: ComponentType
  /** The key that opens the screen after `g`. */
  readonly key: string
  readonly ownerOnly?: boolean
  /** Shown after the name in the navigation. */
  readonly badge?: ComponentType
}

export interface RouteGroup {
  readonly name: string
  readonly routes: readonly Route[]
}

const networkRoute: Route = {
  path: '/network',
  name: t.nav.network,
  icon: Globe,
  screen: NetworkScreen,
  key: 'w',
}

/** Screens of the desktop. They need neither a session nor a running server. */
export const desktopRoutes: readonly Route[] = [
  { path: '/server', name: t.nav.server, icon: Server, screen: ServerScreen, key: 'r' },
  networkRoute,
  { path: '/outbox', name: t.nav.outbox, icon: Send, screen: OutboxScreen, key: 'o', badge: OutboxBadge },
  { path: '/backups', name: t.nav.backups, icon: Archive, screen: BackupsScreen, key: 'k' },
  { path: '/logs', name: t.nav.logs, icon: ScrollText, screen: LogsScreen, key: 'l' },
  { path: '/about', name: t.nav.about, icon: Info, screen: AboutScreen, key: 'v' },
]

export const groups: readonly RouteGroup[] = [
  {
    name: t.nav.you,
    routes: [
      { path: '/', name: t.nav.home, icon: House, screen: HomeScreen, key: 'h' },
      { path: '/account', name: t.nav.account, icon: IdCard, screen: AccountScreen, key: 'a' },
      {
        path: '/app-passwords',
        name: t.nav.appPasswords,
        icon: KeyRound,
        screen: AppPasswordsScreen,
        key: 'p',
      },
      { path: '/data', name: t.nav.data, icon: Database, screen: DataScreen, key: 'd' },
      { path: '/sessions', name: t.nav.sessions, icon: MonitorSmartphone, screen: SessionsScreen, key: 's' },
    ],
  },
  {
    name: t.nav.notifications,
    routes: [
      {
        path: '/notifications',
        name: t.nav.inbox,
        icon: Bell,
        screen: NotificationsScreen,
        key: 'n',
        badge: UnreadBadge,
      },
      {
        path: '/subscriptions',
        name: t.nav.subscriptions,
        icon: Radio,
        screen: SubscriptionsScreen,
        key: 'b',
      },
      {
        path: '/preferences',
        name: t.nav.preferences,
        icon: SlidersHorizontal,
        screen: PreferencesScreen,
        key: 'f',
      },
    ],
  },
  {
    name: t.nav.access,
    routes: [
      { path: '/invites', name: t.nav.invites, icon: Ticket, screen: InvitesScreen, key: 'i' },
      {
        path: '/accounts',
        name: t.nav.accounts,
        icon: UsersRound,
        screen: AccountsScreen,
        key: 'u',
        ownerOnly: true,
      },
      {
        path: '/service-tokens',
        name: t.nav.serviceTokens,
        icon: Stamp,
        screen: ServiceTokensScreen,
        key: 't',
      },
      ...(desktop ? [] : [{ ...networkRoute, ownerOnly: true }]),
    ],
  },
  ...(desktop ? [{ name: t.nav.computer, routes: desktopRoutes }] : []),
]

/** Screens below one of the navigation, by path pattern. */
export const innerScreens: readonly (readonly [path: string, screen: ComponentType])[] = [
  ['/data/:collection', CollectionScreen],
  ['/move', MoveScreen],
  ['/notifications/:repo/:collection/:rkey', PostScreen],
  ['/people/:did', PersonScreen],
]

export const routes: readonly Route[] = groups.flatMap((group) => group.routes)

/** Whether a screen needs neither a session nor a running server. */
export function isDesktopScreen(path: string): boolean {
  return desktop !== undefined && desktopRoutes.some((route) => route.path === path)
}
