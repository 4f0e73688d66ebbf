import type { SettingsView } from '../../../electron/bridge.ts'
import { type CopyPlace, placeName, useRefreshCopies } from '../../api/copies.ts'
import { t } from '../../strings/en.ts'
import { formatAge, formatLength } from '../../strings/format.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { DialogButton } from '../../ui/dialog-button.tsx'
import { Meter } from '../../ui/meter.tsx'
import { Row } from '../../ui/page.tsx'
import { Badge } from '../../ui/states.tsx'
import { Since } from '../../ui/time.tsx'
import { useDesktopDialogAction } from '../dialog-action.ts'
import { AddPlaceDialog } from './add-place-dialog.tsx'
import styles from './copies.module.css'

interface PlaceRowProps {
  readonly place: CopyPlace
  /** Undefined in a browser. */
  readonly view: SettingsView | undefined
  /** When the place was read, in milliseconds. */
  readonly now: number
}

const variants = {
  current: 'good',
  sending: 'plain',
  behind: 'warn',
  paused: 'warn',
  waiting: 'plain',
  problem: 'danger',
} as const

/** A place gets changes within a minute: a shorter time is not worth mentioning. */
const behindSeconds = 60

function stateOf({ problem, progress, paused, lastCopiedAt, ...place }: CopyPlace): keyof typeof variants {
  if (problem) return 'problem'
  if (paused) return 'paused'
  if (progress) return 'sending'
  if (lastCopiedAt === undefined) return 'waiting'
  return place.behindSeconds > behindSeconds || place.missingMedia > 0 ? 'behind' : 'current'
}

/** A place of copies: its state, and buttons to enter its password again and to remove it. */
export function PlaceRow({ place, view, now }: PlaceRowProps) {
  const { url, problem } = place
  const name = placeName(url)
  const state = stateOf(place)
  const isOwn = view?.copies.includes(url)
  const hasPassword = !url.startsWith('file:')
  return (
    <Row
      action={
        isOwn && (
          <>
            {hasPassword && problem?.kind === 'refused' && (
              <DialogButton dialog={(close) => <AddPlaceDialog known={url} onClose={close} />} size="s">
                {t.copies.password}
              </DialogButton>
            )}
            <DialogButton
              aria-label={t.copies.removeLabel(name)}
              dialog={(close) => <RemoveDialog name={name} onClose={close} url={url} />}
              size="s"
            >
              {t.copies.remove}
            </DialogButton>
          </>
        )
      }
      as="li"
      detail={<Detail now={now} place={place} />}
      title={
        <>
          <span>{name}</span>
          <Badge variant={variants[state]}>{t.copies.states[state]}</Badge>
          {view && !isOwn && <Badge>{t.copies.configured}</Badge>}
        </>
      }
      top
    />
  )
}

function Detail({ place, now }: Pick<PlaceRowProps, 'place' | 'now'>) {
  const { lastCopiedAt, lastProvenAt, proofProblem, problem, progress, paused, missingMedia } = place
  return (
    <>
      <p>
        {lastCopiedAt === undefined
          ? t.copies.neverCopied
          : t.copies.copied(formatAge(lastCopiedAt, Math.max(now, Date.parse(lastCopiedAt))))}
        {lastProvenAt !== undefined && (
          <>
            {' · '}
            <Since at={lastProvenAt} never="" text={t.copies.proven} />
          </>
        )}
      </p>
      {progress && (
        <p>
          {t.copies.sent(progress.sent, progress.total)}
          <Meter
            label={t.copies.progress}
            max={progress.total}
            title={t.copies.sent(progress.sent, progress.total)}
            value={progress.sent}
          />
        </p>
      )}
      {paused && <p>{t.copies.paused}</p>}
      {place.behindSeconds > behindSeconds && <p>{t.copies.behind(formatLength(place.behindSeconds))}</p>}
      {missingMedia > 0 && <p>{t.copies.missingMedia(missingMedia)}</p>}
      {proofProblem !== undefined && <p className={styles.problem}>{t.copies.notProven(proofProblem)}</p>}
      {problem && (
        <p className={styles.problem}>
          {problem.kind in t.copies.problems &&
            t.copies.problems[problem.kind as keyof typeof t.copies.problems]}{' '}
          {problem.message}{' '}
          {problem.since !== undefined && <Since at={problem.since} never="" text={`${t.copies.since}:`} />}
        </p>
      )}
    </>
  )
}

interface RemoveDialogProps {
  readonly url: string
  readonly name: string
  onClose(): void
}

function RemoveDialog({ url, name, onClose }: RemoveDialogProps) {
  const refresh = useRefreshCopies()
  const remove = useDesktopDialogAction('copies.remove', {
    input: () => [url],
    done: t.copies.removed,
    onDone: () => void refresh(),
    onClose,
  })
  return (
    <ConfirmDialog {...remove} action={t.copies.removeSubmit} title={t.copies.removeTitle(name)}>
      {t.copies.removeText}
    </ConfirmDialog>
  )
}
