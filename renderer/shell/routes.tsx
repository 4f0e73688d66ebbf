/**
 * The screens, and where they stand in the navigation. All are in one bundle: a part that is fetched later would be missing
 * once the server is down or newer than the page.
 */
import {
  Bell,
  House,
  IdCard,
  KeyRound,
  type LucideIcon,
  MonitorSmartphone,
  Radio,
  SlidersHorizontal,
  Stamp,
  Ticket,
  UsersRound,
} from 'lucide-react'
import type { ComponentType } from 'react'
import { AccountScreen } from '../screens/account/account.tsx'
import { AccountsScreen } from '../screens/accounts/accounts.tsx'
import { ActivityScreen } from '../screens/activity/activity.tsx'
import { AppPasswordsScreen } from '../screens/app-passwords/app-passwords.tsx'
import { HomeScreen } from '../screens/home/home.tsx'
import { InvitesScreen } from '../screens/invites/invites.tsx'
import { NotificationsScreen } from '../screens/notifications/notifications.tsx'
import { PreferencesScreen } from '../screens/preferences/preferences.tsx'
import { ServiceTokensScreen } from '../screens/service-tokens/service-tokens.tsx'
import { SessionsScreen } from '../screens/sessions/sessions.tsx'
import { t } from '../strings/en.ts'

export interface Route {
  readonly path: string
  readonly name: string
  readonly icon: LucideIcon
  readonly screen: ComponentType
  /** Pressed after `g`, goes there. */
  readonly key: string
  readonly ownerOnly?: boolean
  /** Shows how many notifications are unread. */
  readonly unread?: boolean
}

export interface RouteGroup {
  readonly name: string
  readonly routes: readonly Route[]
}

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
        unread: true,
      },
      { path: '/subscriptions', name: t.nav.activity, icon: Radio, screen: ActivityScreen, key: 'b' },
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
    name: t.nav.server,
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
    ],
  },
]

export const routes: readonly Route[] = groups.flatMap((group) => group.routes)
