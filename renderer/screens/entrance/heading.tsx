import { type ReactNode, useEffect, useRef } from 'react'
import { useLocation } from 'wouter'
import { isEntrance } from '../../entrances.ts'
import { t } from '../../strings/en.ts'
import styles from './entrance.module.css'

/** The heading of a step. A later step moves the focus to its first field, so the heading takes none. */
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

/** Puts the focus into the first field of a step once it is there. */
export function useFocusFirst() {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    form.current?.querySelector('input')?.focus()
  }, [])
  return form
}

/** Goes in: to where somebody was when the session ended, or else home. */
export function useEnter(): () => void {
  const [path, navigate] = useLocation()
  return () => {
    if (isEntrance(path)) navigate('/')
  }
}
