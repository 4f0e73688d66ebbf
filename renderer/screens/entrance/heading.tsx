import { type ReactNode, useEffect } from 'react'
import { useLocation } from 'wouter'
import { isEntrance } from '../../entrances.ts'
import { t } from '../../strings/en.ts'
import styles from './entrance.module.css'

/** The heading of a step. It takes no focus: steps focus their first field. */
export function Heading({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  useEffect(() => {
    document.title = t.app.title(title)
  }, [title])
  return (
    <div>
      <h1 className={styles.title} tabIndex={-1}>
        {title}
      </h1>
      {children && <p className={styles.lead}>{children}</p>}
    </div>
  )
}

/** Leaves the sign-in screens: back to the screen on which the session ended, or Home. */
export function useLeaveEntrance(): () => void {
  const [path, navigate] = useLocation()
  return () => {
    if (isEntrance(path)) navigate('/')
  }
}
