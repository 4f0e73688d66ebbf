import { Menu as MenuIcon } from 'lucide-react'
import { useFreshAccount, useIsOwner } from '../api/account.ts'
import { useLive } from '../api/live.ts'
import { useSession } from '../api/sessions.ts'
import { TakendownScreen } from '../screens/takendown/takendown.tsx'
import { t } from '../strings/en.ts'
import { Mark } from '../ui/mark.tsx'
import { AccountBanner, ConnectionBanner } from './banners.tsx'
import { Screens } from './screens.tsx'
import styles from './shell.module.css'
import { Shortcuts } from './shortcuts.tsx'
import { Sidebar, sidebarId } from './sidebar.tsx'

/** What surrounds the screens of somebody who is signed in. */
export function Shell() {
  const session = useSession()
  useFreshAccount()
  useLive()
  const isOwner = useIsOwner()
  return (
    <div className={styles.shell}>
      <button className={styles.skip} onClick={() => document.querySelector('main')?.focus()} type="button">
        {t.app.skip}
      </button>
      <header className={styles.topBar}>
        <button aria-label={t.nav.open} className={styles.menuButton} popoverTarget={sidebarId} type="button">
          <MenuIcon aria-hidden size={20} />
        </button>
        <Mark size={24} />
        <span>{t.app.name}</span>
      </header>
      <Sidebar isOwner={isOwner} />
      <div className={styles.content}>
        <ConnectionBanner />
        <AccountBanner />
        <main id="content" tabIndex={-1}>
          {session.status === 'takendown' ? <TakendownScreen /> : <Screens />}
        </main>
      </div>
      <Shortcuts isOwner={isOwner} />
    </div>
  )
}
