import { ArrowLeft } from 'lucide-react'
import { Link } from 'wouter'
import { isLocal } from '../navigation.ts'
import { DesktopLinks } from '../parts/settings/desktop-links.tsx'
import { t } from '../strings/en.ts'
import styles from './outside.module.css'
import { Screens } from './screens.tsx'

/** The frame of desktop screens without a session or a running server. */
export function Outside() {
  return (
    <div>
      <header className={styles.head}>
        <Link className={styles.back} href="/">
          <ArrowLeft aria-hidden size={16} />
          {t.ui.back}
        </Link>
        <DesktopLinks />
      </header>
      <main id="content" tabIndex={-1}>
        <Screens isShown={isLocal} />
      </main>
    </div>
  )
}
