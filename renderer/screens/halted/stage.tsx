import type { ReactNode } from 'react'
import { callDesktop } from '../../api/desktop.ts'
import { DesktopLinks } from '../../parts/settings/desktop-links.tsx'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { Mark } from '../../ui/mark.tsx'
import { useTitle } from '../../ui/page.tsx'
import styles from './halted.module.css'

/** A card that fills the window, with links to the screens that work without the server. */
export function Stage({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  useTitle(title)
  return (
    <div className={styles.stage}>
      <main className={styles.card}>
        <Mark size={40} />
        <h1>{title}</h1>
        {children}
      </main>
      <footer className={styles.foot}>
        <DesktopLinks />
      </footer>
    </div>
  )
}

/** The buttons of the card, with Quit. */
export function StageActions({ children }: { readonly children: ReactNode }) {
  return (
    <div className="buttons">
      {children}
      <Button variant="quiet" onClick={() => void callDesktop('app.quit')}>
        {t.halted.quit}
      </Button>
    </div>
  )
}
