import type { ReactNode } from 'react'
import styles from './banner.module.css'
import { Notice, type NoticeProps } from './states.tsx'

/** The place of notices above a screen. */
export function Banners({ children }: { readonly children: ReactNode }) {
  return <div className={styles.banner}>{children}</div>
}

/** A notice above a screen. Announced by screen readers when it appears. */
export function Banner(props: Omit<NoticeProps, 'live'>) {
  return (
    <Banners>
      <Notice live {...props} />
    </Banners>
  )
}
