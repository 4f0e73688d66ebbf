import { type ReactNode, useState } from 'react'
import type { RestorePoint, RestoreSource } from '../../../electron/ground/bridge.ts'
import { usePoints } from '../../api/copies.ts'
import { useRestoresHere } from '../../api/restores.ts'
import { t } from '../../strings/en.ts'
import { formatBytes, formatDateTime } from '../../strings/format.ts'
import { Button } from '../../ui/button.tsx'
import { DialogButton } from '../../ui/dialog.tsx'
import { Row, RowList, Stack } from '../../ui/page.tsx'
import { Badge, Loaded } from '../../ui/states.tsx'
import { RelativeTime, Since } from '../../ui/time.tsx'
import styles from './replicas.module.css'
import { RestoreDialog } from './restore-dialog.tsx'

interface SourceProps {
  /** The same object in each render. */
  readonly source: RestoreSource
  /** The name of the place. */
  readonly name: string
}

/** Loads the restore points of a place, and lists them. */
export function LoadedPoints(props: SourceProps) {
  const isElsewhere = useRestoresHere() === false
  return isElsewhere ? <ElsewhereHint /> : <PointsOfPlace {...props} />
}

/** Where a server is restored that another program runs. */
function ElsewhereHint() {
  return <p className={styles.hint}>{t.restoring.elsewhere}</p>
}

function PointsOfPlace({ source, name }: SourceProps) {
  return (
    <Loaded query={usePoints(source)} rows={2}>
      {(points) => <RestorePoints name={name} points={points} source={source} />}
    </Loaded>
  )
}

/** The states of a place to which the server can be restored, newest first. */
export function RestorePoints({
  source,
  name,
  points,
}: SourceProps & { readonly points: readonly RestorePoint[] }) {
  return (
    <PointList
      actions={(point) => (
        // What a place got since it was read belongs to its last state.
        <RestoreButton at={point === points[0] ? undefined : point.at} point={point} source={source} />
      )}
      more={
        <DialogButton
          dialog={(close) => <RestoreDialog asks="time" onClose={close} source={source} />}
          size="s"
        >
          {t.restoring.otherTime}
        </DialogButton>
      }
      name={name}
      points={points}
    />
  )
}

interface PointListProps<P> {
  readonly points: readonly P[]
  /** The name of their place. */
  readonly name: string
  /** Buttons below the list. */
  readonly more?: ReactNode
  actions(point: P): ReactNode
}

/** More are shown on request. */
const shownAtFirst = 7

/** Restore points, newest first. */
export function PointList<P extends RestorePoint>({ points, name, more, actions }: PointListProps<P>) {
  const [showsAll, setShowsAll] = useState(false)
  const isElsewhere = useRestoresHere() === false
  if (points.length === 0) return <p className={styles.hint}>{t.restoring.none}</p>
  return (
    <Stack>
      <RowList label={t.restoring.pointsOf(name)}>
        {points.slice(0, showsAll ? undefined : shownAtFirst).map((point) => (
          <PointRow action={actions(point)} key={point.at} point={point} />
        ))}
      </RowList>
      <div className="buttons">
        {!showsAll && points.length > shownAtFirst && (
          <Button onClick={() => setShowsAll(true)} size="s">
            {t.restoring.showAll(points.length)}
          </Button>
        )}
        {more}
      </div>
      {isElsewhere && <ElsewhereHint />}
    </Stack>
  )
}

interface RestoreButtonProps extends Pick<SourceProps, 'source'> {
  readonly point: RestorePoint
  /** The time to restore to; undefined for the last state. */
  readonly at: string | undefined
}

/** Shows nothing if the server is restored in another program. */
export function RestoreButton({ point, at, source }: RestoreButtonProps) {
  const isElsewhere = useRestoresHere() === false
  if (isElsewhere) return null
  return (
    <DialogButton
      aria-label={t.restoring.restoreLabel(formatDateTime(point.at))}
      dialog={(close) => <RestoreDialog at={at} onClose={close} source={source} />}
      size="s"
    >
      {t.restoring.restore}
    </DialogButton>
  )
}

function PointRow({ point, action }: { readonly point: RestorePoint; readonly action: ReactNode }) {
  const { problem, missingMedia } = point.proof ?? {}
  return (
    <Row
      action={action}
      as="li"
      detail={
        <>
          <PointFacts point={point} />
          {missingMedia !== undefined && ` · ${t.restoring.missingMedia(missingMedia)}`}
          {point.isPartial && ` · ${t.restoring.partial}`}
          {problem !== undefined && <p className={styles.problem}>{t.restoring.notRestorable(problem)}</p>}
        </>
      }
      title={
        <>
          {formatDateTime(point.at)}{' '}
          <span role="status">
            {point.proof && (
              <Badge variant={problem === undefined ? 'good' : 'danger'}>
                {problem === undefined ? t.copies.localStates.tested : t.restoring.damaged}
              </Badge>
            )}
          </span>
        </>
      }
    />
  )
}

/** When a state was written and tested, and its size. */
export function PointFacts({ point: { at, bytes, proof } }: { readonly point: RestorePoint }) {
  return (
    <>
      <RelativeTime at={at} />
      {proof?.problem === undefined && proof?.provenAt !== undefined && (
        <>
          {' · '}
          <Since at={proof.provenAt} never="" text={t.copies.tested} />
        </>
      )}
      {bytes !== undefined && ` · ${formatBytes(bytes)}`}
    </>
  )
}
