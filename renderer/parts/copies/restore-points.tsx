import { useState } from 'react'
import type { RestorePoint, RestoreSource } from '../../../electron/bridge.ts'
import { usePoints } from '../../api/copies.ts'
import { useDesktopCall } from '../../api/desktop.ts'
import { t } from '../../strings/en.ts'
import { formatBytes, formatDateTime } from '../../strings/format.ts'
import { Button } from '../../ui/button.tsx'
import { DialogButton } from '../../ui/dialog-button.tsx'
import { Row, RowList, Stack } from '../../ui/page.tsx'
import { Badge, Loaded } from '../../ui/states.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { toastError } from '../../ui/toast.tsx'
import styles from './copies.module.css'
import { RestoreDialog } from './restore-dialog.tsx'

interface SourceProps {
  /** The same object in each render. */
  readonly source: RestoreSource
  /** The name of the place. */
  readonly name: string
}

/** Loads the restore points of a place, and lists them. */
export function LoadedPoints({ source, name }: SourceProps) {
  return (
    <Loaded query={usePoints(source)} rows={2}>
      {(points) => <RestorePoints name={name} points={points} source={source} />}
    </Loaded>
  )
}

interface RestorePointsProps extends SourceProps {
  readonly points: readonly RestorePoint[]
  onRestored?: () => void
}

/** More are shown on request. */
const shownAtFirst = 7

/** The states to which the server can be restored, newest first. */
export function RestorePoints({ source, name, points, onRestored }: RestorePointsProps) {
  const [showsAll, setShowsAll] = useState(false)
  const isBackups = source.from === 'backups'
  if (points.length === 0) return <p className={styles.hint}>{t.restoring.none}</p>
  return (
    <Stack>
      <RowList label={t.restoring.pointsOf(name)}>
        {points.slice(0, showsAll ? undefined : shownAtFirst).map((point, index) => (
          <PointRow
            // What a place got since it was read belongs to its last state.
            at={index === 0 && !isBackups ? undefined : point.at}
            key={point.at}
            onRestored={onRestored}
            point={point}
            source={source}
          />
        ))}
      </RowList>
      <div className={styles.buttons}>
        {!showsAll && points.length > shownAtFirst && (
          <Button onClick={() => setShowsAll(true)} size="s">
            {t.restoring.showAll(points.length)}
          </Button>
        )}
        {!isBackups && (
          <DialogButton
            dialog={(close) => (
              <RestoreDialog asks="time" onClose={close} onRestored={onRestored} source={source} />
            )}
            size="s"
          >
            {t.restoring.otherTime}
          </DialogButton>
        )}
      </div>
    </Stack>
  )
}

interface PointRowProps {
  readonly source: RestoreSource
  readonly point: RestorePoint
  /** The time to restore to; undefined for the last state. */
  readonly at: string | undefined
  readonly onRestored: (() => void) | undefined
}

function PointRow({ source, point, at, onRestored }: PointRowProps) {
  const when = formatDateTime(point.at)
  const { proof } = point
  const check = useDesktopCall('backups.check', ['restore.points'], { onError: toastError })
  return (
    <Row
      action={
        <>
          {source.from === 'backups' && (
            <Button
              aria-label={t.restoring.checkLabel(when)}
              busy={check.isPending}
              onClick={() => check.mutate([point.at])}
              size="s"
            >
              {proof ? t.restoring.checkAgain : t.restoring.check}
            </Button>
          )}
          <DialogButton
            aria-label={t.restoring.restoreLabel(when)}
            dialog={(close) => (
              <RestoreDialog at={at} onClose={close} onRestored={onRestored} source={source} />
            )}
            size="s"
          >
            {t.restoring.restore}
          </DialogButton>
        </>
      }
      as="li"
      detail={<PointDetail point={point} />}
      title={
        <>
          {when}{' '}
          <span role="status">
            {proof && (
              <Badge variant={proof.problem === undefined ? 'good' : 'danger'}>
                {proof.problem === undefined ? t.restoring.tested : t.restoring.damaged}
              </Badge>
            )}
          </span>
        </>
      }
    />
  )
}

function PointDetail({ point: { at, bytes, isPartial, proof } }: { readonly point: RestorePoint }) {
  const { provenAt, problem, missingMedia } = proof ?? {}
  return (
    <>
      <RelativeTime at={at} />
      {bytes !== undefined && ` · ${formatBytes(bytes)}`}
      {problem === undefined && provenAt !== undefined && (
        <>
          {` · ${t.copies.tested} `}
          <RelativeTime at={provenAt} />
        </>
      )}
      {missingMedia !== undefined && ` · ${t.restoring.missingMedia(missingMedia)}`}
      {isPartial && ` · ${t.restoring.partial}`}
      {problem !== undefined && <p className={styles.problem}>{t.restoring.notRestorable(problem)}</p>}
    </>
  )
}
