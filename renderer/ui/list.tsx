import type { ReactNode } from 'react'
import styles from './list.module.css'

/** The line above a list: how much it has, and what can be done with all of it. */
export function ListBar({ text, children }: { readonly text: ReactNode; readonly children?: ReactNode }) {
  return (
    <div className={styles.bar}>
      <div className="soft">{text}</div>
      {children}
    </div>
  )
}
