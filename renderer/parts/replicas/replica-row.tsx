import type { ReactNode } from 'react'
import { t } from '../../strings/en.ts'
import { LazyDetails } from '../../ui/lazy-details.tsx'
import { Row, type RowProps } from '../../ui/page.tsx'
import styles from './replicas.module.css'

interface ReplicaRowProps extends Pick<RowProps, 'icon' | 'detail' | 'action'> {
  readonly name: string
  /** Its state, after the name. */
  readonly badges: ReactNode
  /** Its restore points, in a fold. */
  readonly points: ReactNode
  /** Notices and settings. */
  readonly children: ReactNode
}

/** The copy at this computer or a place: its state, and its restore points. */
export function ReplicaRow({ name, badges, points, children, ...row }: ReplicaRowProps) {
  return (
    <Row
      {...row}
      as="li"
      more={
        <>
          {children}
          {points && <Points name={name}>{points}</Points>}
        </>
      }
      title={
        <>
          <span>{name}</span>
          {badges}
        </>
      }
      top
    />
  )
}

/** A place is read when its restore points are opened. */
function Points({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <LazyDetails className={styles.points} label={t.restoring.pointsOf(name)} summary={t.restoring.points}>
      {children}
    </LazyDetails>
  )
}
