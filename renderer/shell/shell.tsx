import { Search } from 'lucide-react'
import { useEffect } from 'react'
import { useLocation } from 'wouter'
import { useAccountRefresh, useIsOwner } from '../api/account.ts'
import { useMove } from '../api/moves.ts'
import { useNotificationStream } from '../api/notification-stream.ts'
import { useSession } from '../api/sessions.ts'
import { desktop } from '../bridge.ts'
import { isShownTo } from '../navigation.ts'
import { DamageBanner } from '../parts/backups/data-check.tsx'
import { ConnectionBanner } from '../parts/network/connection-banner.tsx'
import { ReplicasBanner } from '../parts/replicas/banner.tsx'
import { TakendownScreen } from '../screens/account/takendown.tsx'
import { t } from '../strings/en.ts'
import { Mark } from '../ui/mark.tsx'
import { AppRequests } from './app-requests.tsx'
import { MenuButton } from './badges.tsx'
import { AccountBanner, ClockBanner, OutboxBanner } from './banners.tsx'
import { isPaletteOpen, Palette } from './palette/palette.tsx'
import { Screens } from './screens.tsx'
import styles from './shell.module.css'
import { Shortcuts } from './shortcuts.tsx'
import { Sidebar, sidebarId } from './sidebar.tsx'

/** The frame of the screens with a session: navigation, banners, shortcuts. */
export function Shell() {
  const session = useSession()
  useAccountRefresh()
  useNotificationStream()
  const isOwner = useIsOwner()
  const [path] = useLocation()
  const hasPalette = session.status !== 'takendown'
  useMoveFirst()
  return (
    <div className={styles.shell}>
      <button className={styles.skip} onClick={() => document.querySelector('main')?.focus()} type="button">
        {t.app.skip}
      </button>
      <header className={styles.topBar}>
        <MenuButton className={styles.menuButton} opens={sidebarId} />
        <Mark size={24} />
        <span className={styles.appName}>{t.app.name}</span>
        {hasPalette && (
          <button
            aria-label={t.palette.open}
            className={styles.menuButton}
            onClick={() => isPaletteOpen.set(true)}
            type="button"
          >
            <Search aria-hidden size={20} />
          </button>
        )}
      </header>
      <Sidebar isOwner={isOwner} />
      <div className={styles.content}>
        <ConnectionBanner />
        {isOwner && <ClockBanner />}
        {isOwner && <DamageBanner />}
        {isOwner && <ReplicasBanner />}
        <AccountBanner />
        {desktop && <OutboxBanner />}
        <main id="content" tabIndex={-1}>
          {session.status === 'takendown' && path !== '/move' ? (
            <TakendownScreen />
          ) : (
            <Screens isShown={isShownTo(isOwner)} />
          )}
        </main>
      </div>
      {desktop && session.status === undefined && <AppRequests />}
      <Shortcuts isOwner={isOwner} />
      {hasPalette && <Palette isOwner={isOwner} />}
    </div>
  )
}

/** While the account moves to this server, the screen of the move takes the place of Home. */
function useMoveFirst(): void {
  const { status } = useSession()
  const { data: move } = useMove({ enabled: status === 'deactivated' })
  const [path, navigate] = useLocation()
  const isMovingIn = move?.direction === 'in' && move.endedAt === undefined
  useEffect(() => {
    if (isMovingIn && path === '/') navigate('/move', { replace: true })
  }, [isMovingIn, path, navigate])
}
