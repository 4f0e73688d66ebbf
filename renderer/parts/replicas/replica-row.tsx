import { type ReactNode, useState } from 'react'
import type { RestoreSource } from '../../../electron/ground/bridge.ts'
import { t } from '../../strings/en.ts'
import { Row, type RowProps } from '../../ui/page.tsx'
import styles from './replicas.module.css'
import { LoadedPoints } from './restore-points.tsx'

interface ReplicaRowProps extends Pick<RowProps, 'icon' | 'detail' | 'action'> {
  readonly name: string
  /** Its state, after the name. */
  readonly badges: ReactNode
  /** Restores from it; undefined in a browser. The same object in each render. */
  readonly source: RestoreSource | undefined
  /** The problem of the source: when it changes, the restore points are read again. */
  readonly sourceProblem?: string | undefined
  /** Notices and settings. */
  readonly children: ReactNode
}

/** The copy at this computer or a place: its state, and its restore points in a fold. */
export function ReplicaRow({ name, badges, source, sourceProblem, children, ...row }: ReplicaRowProps) {
  return (
    <Row
      {...row}
      as="li"
      more={
        <>
          {children}
          {source && <Points name={name} problem={sourceProblem} source={source} />}
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

interface PointsProps {
  readonly name: string
  readonly source: RestoreSource
  readonly problem: string | undefined
}

/** A place is read when its restore points are opened. */
function Points({ name, source, problem }: PointsProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className={styles.points} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary aria-label={t.restoring.pointsOf(name)}>{t.restoring.points}</summary>
      {isOpen && <LoadedPoints key={problem} name={name} source={source} />}
    </details>
  )
}
