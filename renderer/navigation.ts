/** The names and places of the screens in the navigation. `shell/screens.tsx` has their components. */
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
import { desktop } from './bridge.ts'
import { t } from './strings/en.ts'

export interface Entry {
  readonly path: string
  readonly name: string
  readonly icon: LucideIcon
  /** The key that opens the screen after `g`. */
  readonly key: string
  readonly ownerOnly?: boolean
}

export interface EntryGroup {
  readonly name: string
  readonly entries: readonly Entry[]
}

const network: Entry = { path: '/network', name: t.nav.network, icon: Globe, key: 'w' }

/** Screens of the desktop. They need neither a session nor a running server. */
export const desktopEntries: readonly Entry[] = [
  { path: '/server', name: t.nav.server, icon: Server, key: 'r' },
  network,
  { path: '/outbox', name: t.nav.outbox, icon: Send, key: 'o' },
  { path: '/backups', name: t.nav.backups, icon: Archive, key: 'k' },
  { path: '/logs', name: t.nav.logs, icon: ScrollText, key: 'l' },
  { path: '/about', name: t.nav.about, icon: Info, key: 'v' },
]

export const groups: readonly EntryGroup[] = [
  {
    name: t.nav.you,
    entries: [
      { path: '/', name: t.nav.home, icon: House, key: 'h' },
      { path: '/account', name: t.nav.account, icon: IdCard, key: 'a' },
      { path: '/app-passwords', name: t.nav.appPasswords, icon: KeyRound, key: 'p' },
      { path: '/data', name: t.nav.data, icon: Database, key: 'd' },
      { path: '/sessions', name: t.nav.sessions, icon: MonitorSmartphone, key: 's' },
    ],
  },
  {
    name: t.nav.notifications,
    entries: [
      { path: '/notifications', name: t.nav.inbox, icon: Bell, key: 'n' },
      { path: '/subscriptions', name: t.nav.subscriptions, icon: Radio, key: 'b' },
      { path: '/preferences', name: t.nav.preferences, icon: SlidersHorizontal, key: 'f' },
    ],
  },
  {
    name: t.nav.access,
    entries: [
      { path: '/invites', name: t.nav.invites, icon: Ticket, key: 'i' },
      { path: '/accounts', name: t.nav.accounts, icon: UsersRound, key: 'u', ownerOnly: true },
      { path: '/service-tokens', name: t.nav.serviceTokens, icon: Stamp, key: 't' },
      ...(desktop ? [] : [{ ...network, ownerOnly: true }]),
    ],
  },
  ...(desktop ? [{ name: t.nav.computer, entries: desktopEntries }] : []),
]

export const entries: readonly Entry[] = groups.flatMap((group) => group.entries)

/** Whether a screen needs neither a session nor a running server. */
export function isDesktopScreen(path: string): boolean {
  return desktop !== undefined && desktopEntries.some((entry) => entry.path === path)
}
