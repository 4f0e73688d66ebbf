import type { ReactNode } from 'react'
import styles from './banner.module.css'

/** The place of a notice above a screen. */
export function Banner({ children }: { readonly children: ReactNode }) {
  return <div className={styles.banner}>{children}</div>
}
