import { ChevronsUpDown, Keyboard, LogOut, Plus, Search } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Link, useLocation } from 'wouter'
import { signOut } from '../api/client.ts'
import { connection } from '../api/connection.ts'
import { serverState } from '../api/desktop.ts'
import { endpoint } from '../api/endpoint.ts'
import { displayNameOf } from '../api/names.ts'
import { useOwnProfile } from '../api/profile.ts'
import { switchTo, useSession, useSessions } from '../api/sessions.ts'
import type { Session } from '../api/vault.ts'
import { entrances } from '../entrances.ts'
import { type Entry, groupsOf, isShownTo, isWithin } from '../navigation.ts'
import { useStore } from '../store.ts'
import { t } from '../strings/en.ts'
import { Avatar } from '../ui/avatar.tsx'
import { Mark } from '../ui/mark.tsx'
import { Menu, MenuItem, MenuSeparator } from '../ui/menu.tsx'
import { toast } from '../ui/toast.tsx'
import { EntryBadge } from './badges.tsx'
import { isPaletteOpen, paletteKeys } from './palette/palette.tsx'
import { isHelpOpen } from './shortcuts.tsx'
import styles from './sidebar.module.css'

export const sidebarId = 'sidebar'

/** The navigation: beside the screen in wide windows, else a popover opened from the top bar. */
export function Sidebar({ isOwner }: { readonly isOwner: boolean }) {
  const { status } = useSession()
  return (
    <aside className={styles.sidebar} id={sidebarId} popover="auto">
      <ServerHead />
      {status !== 'takendown' && <FindButton />}
      <nav aria-label={t.nav.label} className={styles.nav}>
        {status !== 'takendown' &&
          groupsOf(isShownTo(isOwner)).map(({ name, entries }) => (
            <div className={styles.group} key={name}>
              <h2 className={styles.groupName}>{name}</h2>
              <ul>
                {entries.map((entry) => (
                  <NavLink entry={entry} key={entry.name} />
                ))}
              </ul>
            </div>
          ))}
      </nav>
      <AccountMenu />
    </aside>
  )
}

function ServerHead() {
  const { up } = useStore(connection)
  const state = useStore(serverState)
  return (
    <div className={styles.head}>
      <Mark />
      <div className={styles.headText}>
        <div className={styles.address}>{new URL(endpoint).host}</div>
        <div className={styles.state} data-up={up && (state === undefined || state.kind === 'running')}>
          {state && state.kind !== 'running'
            ? t.server.states[state.kind]
            : up
              ? t.connection.up
              : t.connection.down}
        </div>
      </div>
    </div>
  )
}

/** Opens the palette. */
function FindButton() {
  return (
    <button
      aria-haspopup="dialog"
      className={styles.find}
      onClick={() => {
        closeSidebar()
        isPaletteOpen.set(true)
      }}
      type="button"
    >
      <Search aria-hidden size={16} />
      <span>{t.palette.open}</span>
      <kbd>{paletteKeys}</kbd>
    </button>
  )
}

function NavLink({ entry: { name, icon: Icon, screens } }: { readonly entry: Entry }) {
  const [path] = useLocation()
  const item = useRef<HTMLLIElement>(null)
  const isCurrent = screens.some((screen) => isWithin(path, screen))
  const href = screens[0]?.path ?? '/'
  // On each render: items above may appear later, such as the owner's.
  useEffect(() => {
    if (isCurrent && item.current) scrollIntoNav(item.current)
  })
  return (
    <li ref={item}>
      <Link
        aria-current={isCurrent ? (path === href ? 'page' : 'true') : undefined}
        className={styles.link}
        href={href}
        onClick={closeSidebar}
      >
        <Icon aria-hidden size={18} strokeWidth={1.75} />
        {name}
        {screens.map((screen) => (
          <EntryBadge key={screen.path} path={screen.path} />
        ))}
      </Link>
    </li>
  )
}

/** Scrolls an item into view in low windows. `scrollIntoView` would also move the sequential focus start. */
function scrollIntoNav(item: HTMLElement): void {
  const nav = item.closest('nav')
  if (!nav) return
  const { top, bottom } = item.getBoundingClientRect()
  const frame = nav.getBoundingClientRect()
  nav.scrollTop += Math.max(0, bottom - frame.bottom) - Math.max(0, frame.top - top)
}

function closeSidebar(): void {
  const sidebar = document.getElementById(sidebarId)
  if (sidebar?.matches(':popover-open')) sidebar.hidePopover()
}

interface AccountProps {
  readonly account: Pick<Session, 'did' | 'handle'>
}

/** The picture of an account that is signed in here. */
function AccountAvatar({ account: { did, handle } }: AccountProps) {
  const { data } = useOwnProfile(did)
  return <Avatar handle={handle} picture={data?.avatar} />
}

/** The display name of an account that is signed in here, then its handle. */
function AccountName({ account: { did, handle } }: AccountProps) {
  const { data } = useOwnProfile(did)
  const name = data && displayNameOf(data)
  if (!name) return <span className={styles.name}>{handle}</span>
  return (
    <span className={styles.names}>
      <bdi className={styles.name}>{name}</bdi> <span className={styles.handle}>{handle}</span>
    </span>
  )
}

function AccountMenu() {
  const session = useSession()
  const sessions = useSessions()
  const [, navigate] = useLocation()
  const trigger = (
    <>
      <AccountAvatar account={session} />
      <AccountName account={session} />
      <ChevronsUpDown aria-hidden size={16} />
    </>
  )
  return (
    <div className={styles.foot}>
      <Menu label={t.nav.switcher} side="above" trigger={trigger} triggerClass={styles.switcher}>
        {sessions.map((account) => (
          <MenuItem
            checked={account.did === session.did}
            icon={<AccountAvatar account={account} />}
            key={account.did}
            onSelect={() => {
              switchTo(account.did)
              navigate('/')
            }}
          >
            <AccountName account={account} />
          </MenuItem>
        ))}
        <MenuItem icon={<Plus aria-hidden size={16} />} onSelect={() => navigate(entrances.signIn)}>
          {t.nav.add}
        </MenuItem>
        <MenuSeparator />
        <MenuItem icon={<Keyboard aria-hidden size={16} />} onSelect={() => isHelpOpen.set(true)}>
          {t.nav.shortcuts}
        </MenuItem>
        <MenuItem
          icon={<LogOut aria-hidden size={16} />}
          onSelect={() => {
            void signOut(session.did)
            navigate('/')
            toast(t.nav.signedOut(session.handle))
          }}
        >
          {t.nav.signOut}
        </MenuItem>
      </Menu>
    </div>
  )
}
