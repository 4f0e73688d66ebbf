import { useState } from 'react'
import type { RestorePoint, RestoreSource } from '../../../electron/ground/bridge.ts'
import { usePoints } from '../../api/copies.ts'
import { useDesktopCall } from '../../api/desktop.ts'
import { t } from '../../strings/en.ts'
import { formatBytes, formatDateTime } from '../../strings/format.ts'
import { Button } from '../../ui/button.tsx'
import { DialogButton } from '../../ui/dialog.tsx'
import { Row, RowList, Stack } from '../../ui/page.tsx'
import { Badge, Loaded } from '../../ui/states.tsx'
import { RelativeTime, Since } from '../../ui/time.tsx'
import { toastError } from '../../ui/toast.tsx'
import styles from './replicas.module.css'
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

/** More are shown on request. */
const shownAtFirst = 7

/** The states to which the server can be restored, newest first. */
export function RestorePoints({
  source,
  name,
  points,
}: SourceProps & { readonly points: readonly RestorePoint[] }) {
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
            point={point}
            source={source}
          />
        ))}
      </RowList>
      <div className="buttons">
        {!showsAll && points.length > shownAtFirst && (
          <Button onClick={() => setShowsAll(true)} size="s">
            {t.restoring.showAll(points.length)}
          </Button>
        )}
        {!isBackups && (
          <DialogButton
            dialog={(close) => <RestoreDialog asks="time" onClose={close} source={source} />}
            size="s"
          >
            {t.restoring.otherTime}
          </DialogButton>
        )}
      </div>
    </Stack>
  )
}

interface PointRowProps extends Pick<SourceProps, 'source'> {
  readonly point: RestorePoint
  /** The time to restore to; undefined for the last state. */
  readonly at: string | undefined
}

function PointRow({ source, point, at }: PointRowProps) {
  const when = formatDateTime(point.at)
  const { problem, missingMedia } = point.proof ?? {}
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
              {point.proof ? t.restoring.checkAgain : t.restoring.check}
            </Button>
          )}
          <DialogButton
            aria-label={t.restoring.restoreLabel(when)}
            dialog={(close) => <RestoreDialog at={at} onClose={close} source={source} />}
            size="s"
          >
            {t.restoring.restore}
          </DialogButton>
        </>
      }
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
          {when}{' '}
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
