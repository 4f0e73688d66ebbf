import { ArrowLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { t } from '../strings/en.ts'
import { classes } from './class-names.ts'
import styles from './links.module.css'

interface LinkButtonProps {
  readonly href: string
  readonly size?: 'm' | 's'
  readonly children: ReactNode
}

/** A link to a screen, with the look of a button. */
export function LinkButton({ href, size = 'm', children }: LinkButtonProps) {
  return (
    <Link className={classes(styles.button, size === 's' && styles.small)} href={href}>
      {children}
    </Link>
  )
}

/** The link above the title to the screen before; to Home if the visit began here. */
export function PreviousLink() {
  const { navigation } = window
  return (
    <Link
      className={styles.back}
      href="/"
      onClick={(event) => {
        if (!navigation?.canGoBack) return
        event.preventDefault()
        history.back()
      }}
    >
      <ArrowLeft aria-hidden size={16} />
      {t.ui.back}
    </Link>
  )
}

/** The link above the title of a screen to the one that it belongs to. */
export function BackLink({ href, name }: { readonly href: string; readonly name: string }) {
  return (
    <Link className={styles.back} href={href}>
      <ArrowLeft aria-hidden size={16} />
      {name}
    </Link>
  )
}
