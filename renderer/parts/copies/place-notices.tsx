import { Link } from 'wouter'
import type { RestoreSource } from '../../../electron/bridge.ts'
import type { CopyPlace } from '../../api/copies.ts'
import { t } from '../../strings/en.ts'
import { formatDateTime } from '../../strings/format.ts'
import { DialogButton } from '../../ui/dialog-button.tsx'
import { Notice } from '../../ui/states.tsx'
import { Since } from '../../ui/time.tsx'
import { AddPlaceDialog } from './add-place-dialog.tsx'
import { BeginAnewDialog, DismissDialog } from './place-dialogs.tsx'
import { RestoreDialog } from './restore-dialog.tsx'

interface PlaceNoticesProps {
  readonly place: CopyPlace
  readonly name: string
  /** Whether it was added here. */
  readonly isOwn: boolean
  /** Undefined in a browser. */
  readonly source: RestoreSource | undefined
}

/** What is wrong at a place, each with what helps. */
export function PlaceNotices(props: PlaceNoticesProps) {
  const { problem, proofProblem, missingHere = 0 } = props.place
  return (
    <>
      {problem && <Problem {...props} problem={problem} />}
      {proofProblem !== undefined && <Notice variant="danger">{t.copies.notProven(proofProblem)}</Notice>}
      <Lost {...props} />
      {missingHere > 0 && (
        <Notice action={<Link href="/data">{t.copies.missingLink}</Link>} variant="warn">
          {t.copies.missingHere(missingHere)}
        </Notice>
      )}
    </>
  )
}

type Problem = NonNullable<CopyPlace['problem']>

function Problem({ place: { url }, name, isOwn, problem }: PlaceNoticesProps & { problem: Problem }) {
  const { kind, message, since } = problem
  const title = t.copies.problems[kind as keyof typeof t.copies.problems]
  const isRefused = kind === 'refused' && isOwn && !url.startsWith('file:')
  const action = isRefused ? (
    <DialogButton dialog={(close) => <AddPlaceDialog known={url} onClose={close} />} size="s">
      {t.copies.password}
    </DialogButton>
  ) : (
    kind === 'empty' && (
      <DialogButton dialog={(close) => <BeginAnewDialog name={name} onClose={close} url={url} />} size="s">
        {t.copies.beginAnew}
      </DialogButton>
    )
  )
  return (
    <Notice action={action} variant="danger">
      {title} {message} {since !== undefined && <Since at={since} never="" text={`${t.copies.since}:`} />}
    </Notice>
  )
}

/** Changes that the place has and this computer has lost. */
function Lost({ place: { url, lost }, source }: PlaceNoticesProps) {
  if (!lost) return null
  const { changes, until } = lost
  return (
    <Notice
      action={
        <>
          {source && (
            <DialogButton
              dialog={(close) => <RestoreDialog at={until} onClose={close} source={source} />}
              size="s"
            >
              {t.copies.restoreLost}
            </DialogButton>
          )}
          <DialogButton
            dialog={(close) => <DismissDialog changes={changes} onClose={close} url={url} />}
            size="s"
          >
            {t.copies.dismiss}
          </DialogButton>
        </>
      }
      variant="warn"
    >
      {t.copies.lost(changes, formatDateTime(until))} {!source && t.copies.lostByServer}
    </Notice>
  )
}
