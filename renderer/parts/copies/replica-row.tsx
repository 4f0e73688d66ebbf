import { type ReactNode, useState } from 'react'
import type { RestoreSource } from '../../../electron/bridge.ts'
import { t } from '../../strings/en.ts'
import { Row } from '../../ui/page.tsx'
import { Badge } from '../../ui/states.tsx'
import styles from './copies.module.css'
import { LoadedPoints } from './restore-points.tsx'

interface State {
  readonly text: string
  readonly variant: 'plain' | 'good' | 'warn' | 'danger'
}

interface ReplicaRowProps {
  readonly icon: ReactNode
  readonly name: string
  /** Undefined while it is not known. */
  readonly state: State | undefined
  /** After the state. */
  readonly badge?: ReactNode
  readonly detail: ReactNode
  readonly action: ReactNode
  /** Restores from it; undefined in a browser. The same object in each render. */
  readonly source: RestoreSource | undefined
  /** Notices and settings. */
  readonly children: ReactNode
}

/** What this computer or a place has of the server: its state, and its restore points in a fold. */
export function ReplicaRow(props: ReplicaRowProps) {
  const { icon, name, state, badge, detail, action, source, children } = props
  return (
    <Row
      action={action}
      as="li"
      detail={detail}
      icon={icon}
      more={
        <>
          {children}
          {source && <Points name={name} source={source} />}
        </>
      }
      title={
        <>
          <span>{name}</span>
          {state && <Badge variant={state.variant}>{state.text}</Badge>}
          {badge}
        </>
      }
      top
    />
  )
}

/** A place is read when its restore points are opened. */
function Points({ name, source }: { readonly name: string; readonly source: RestoreSource }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className={styles.points} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary aria-label={t.restoring.pointsOf(name)}>{t.restoring.points}</summary>
      {isOpen && <LoadedPoints name={name} source={source} />}
    </details>
  )
}
