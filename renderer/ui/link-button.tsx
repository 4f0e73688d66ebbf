import type { ReactNode } from 'react'
import { Link } from 'wouter'
import styles from './link-button.module.css'

/** A link to a screen, with the look of a button. */
export function LinkButton({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  return (
    <Link className={styles.link} href={href}>
      {children}
    </Link>
  )
}
