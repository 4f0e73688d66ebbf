/** The navigation: its entries, and the screens of each. `shell/screens.tsx` has their components. */
import {
  Archive,
  Bell,
  Globe,
  House,
  IdCard,
  type LucideIcon,
  Search,
  Server,
  SlidersHorizontal,
  UsersRound,
} from 'lucide-react'
import { isAtServer } from './api/endpoint.ts'
import { desktop } from './bridge.ts'
import { t } from './strings/en.ts'

export interface Screen {
  readonly path: string
  readonly name: string
  /** The key that opens the screen after `g`. */
  readonly key: string
  readonly ownerOnly?: boolean
  /** It works before sign-in, and while the server is stopped. */
  readonly local?: boolean
}

/** An entry of the navigation. Several screens are shown as tabs; the first one is opened. */
export interface Entry {
  readonly name: string
  readonly icon: LucideIcon
  readonly screens: readonly Screen[]
}

interface EntryGroup {
  readonly name: string
  readonly entries: readonly Entry[]
}

const isDesktop = desktop !== undefined

/** Screens of the desktop; none in a browser. */
const local = (...screens: readonly Screen[]): readonly Screen[] =>
  isDesktop ? screens.map((screen) => ({ ...screen, local: true })) : []

/** For screens that the desktop shows to everyone at this computer, and a browser to the owner. */
const ofOwner = { local: isDesktop, ownerOnly: !isDesktop }

/** Screens on the computer of the server. */
const atServer = (...screens: readonly Screen[]): readonly Screen[] =>
  isAtServer ? screens.map((screen) => ({ ...screen, ...ofOwner })) : []

/** An entry with the name of its screen. */
const single = (icon: LucideIcon, screen: Screen): Entry => ({ icon, name: screen.name, screens: [screen] })

const groups: readonly EntryGroup[] = [
  {
    name: t.nav.you,
    entries: [
      single(House, { path: '/', name: t.nav.home, key: 'h' }),
      single(Search, { path: '/search', name: t.nav.search, key: 's' }),
      {
        name: t.nav.inbox,
        icon: Bell,
        screens: [
          { path: '/notifications', name: t.nav.inbox, key: 'n' },
          { path: '/subscriptions', name: t.nav.subscriptions, key: 'b' },
        ],
      },
      {
        name: t.nav.account,
        icon: IdCard,
        screens: [
          { path: '/account', name: t.nav.account, key: 'a' },
          { path: '/apps', name: t.nav.apps, key: 'p' },
          { path: '/data', name: t.nav.data, key: 'd' },
        ],
      },
    ],
  },
  {
    name: t.nav.thisServer,
    entries: [
      {
        name: t.nav.people,
        icon: UsersRound,
        screens: [
          { path: '/accounts', name: t.nav.accounts, key: 'u', ownerOnly: true },
          { path: '/invites', name: t.nav.invites, key: 'i' },
          { path: '/reports', name: t.nav.reports, key: 'm', ownerOnly: true },
        ],
      },
      single(Globe, { path: '/network', name: t.nav.network, key: 'w', ...ofOwner }),
      single(Archive, { path: '/backups', name: t.nav.backups, key: 'k', ...ofOwner }),
      {
        name: t.nav.server,
        icon: Server,
        screens: [
          ...atServer(
            { path: '/server', name: t.nav.server, key: 'r' },
            { path: '/outbox', name: t.nav.outbox, key: 'o' },
          ),
        ],
      },
      {
        name: t.nav.settings,
        icon: SlidersHorizontal,
        screens: [
          { path: '/settings', name: t.nav.general, key: 'e', local: isDesktop },
          { path: '/preferences', name: t.nav.notifications, key: 'f' },
          { path: '/requests', name: t.nav.requests, key: 'q', ownerOnly: true },
          { path: '/conformance', name: t.nav.conformance, key: 'c', ownerOnly: true },
          ...atServer({ path: '/logs', name: t.nav.logs, key: 'l' }),
          ...local({ path: '/about', name: t.nav.about, key: 'v' }),
        ],
      },
    ],
  },
]

type Filter = (screen: Screen) => boolean

/** Returns the entries with a screen that passes a filter. An entry with one such screen has its name. */
export function groupsOf(isShown: Filter): readonly EntryGroup[] {
  return groups
    .map(({ name, entries }) => ({ name, entries: entries.flatMap((entry) => reduced(entry, isShown)) }))
    .filter(({ entries }) => entries.length > 0)
}

function reduced(entry: Entry, isShown: Filter): readonly Entry[] {
  const screens = entry.screens.filter(isShown)
  const [first, second] = screens
  return first ? [{ ...entry, screens, name: second ? entry.name : first.name }] : []
}

export const isLocal: Filter = ({ local }) => local === true

/** The filter of a session. */
export function isShownTo(isOwner: boolean): Filter {
  return ({ ownerOnly }) => isOwner || ownerOnly !== true
}

export const screens: readonly Screen[] = groups.flatMap(({ entries }) =>
  entries.flatMap((one) => one.screens),
)

/** Whether a path is that of a screen, or of one below it. */
export function isWithin(path: string, screen: Screen): boolean {
  return path === screen.path || path.startsWith(`${screen.path}/`)
}
