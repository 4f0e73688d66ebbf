import { Link } from 'wouter'
import type { RestoreSource } from '../../../electron/ground/bridge.ts'
import type { CopyPlace } from '../../api/copies.ts'
import { isAtServer } from '../../api/endpoint.ts'
import { t } from '../../strings/en.ts'
import { formatDateTime } from '../../strings/format.ts'
import { DialogButton } from '../../ui/dialog.tsx'
import { Notice } from '../../ui/states.tsx'
import { AddPlaceDialog } from './add-place-dialog.tsx'
import { DecisionButton } from './decision-button.tsx'
import { RestoreDialog } from './restore-dialog.tsx'

interface PlaceNoticesProps {
  readonly place: CopyPlace
  readonly name: string
  /** Whether it was added here. */
  readonly isOwn: boolean
  /** Undefined where the server cannot be restored. */
  readonly source: RestoreSource | undefined
}

/** The problems of a place, each with its fix. */
export function PlaceNotices({ place, name, isOwn, source }: PlaceNoticesProps) {
  const { url, problem, proofProblem, lost, missingHere = 0 } = place
  const isRefused = problem?.kind === 'refused' && isOwn && !url.startsWith('file:')
  const remedy = isRefused ? (
    <DialogButton dialog={(close) => <AddPlaceDialog known={url} onClose={close} />} size="s">
      {t.copies.password}
    </DialogButton>
  ) : (
    problem?.kind === 'empty' && isAtServer && <DecisionButton decision="beginAnew" name={name} url={url} />
  )
  return (
    <>
      {/* The notice above the places is about another computer. */}
      {problem && problem.kind !== 'elsewhere' && (
        <Notice action={remedy} variant="danger">
          {t.copies.problems[problem.kind as keyof typeof t.copies.problems]} {problem.message}{' '}
          {problem.since !== undefined && t.copies.since(formatDateTime(problem.since))}
        </Notice>
      )}
      {proofProblem !== undefined && <Notice variant="danger">{t.copies.notProven(proofProblem)}</Notice>}
      {lost && (
        <Notice
          action={
            <>
              {source && (
                <DialogButton
                  dialog={(close) => <RestoreDialog at={lost.until} onClose={close} source={source} />}
                  size="s"
                >
                  {t.copies.restoreLost}
                </DialogButton>
              )}
              {isAtServer && <DecisionButton decision="dismiss" name={name} url={url} />}
            </>
          }
          variant="warn"
        >
          {t.copies.lost(lost.changes, formatDateTime(lost.until))}{' '}
          {!source && (isAtServer ? t.restoring.elsewhere : t.copies.lostByServer)}
        </Notice>
      )}
      {missingHere > 0 && (
        <Notice action={<Link href="/data">{t.copies.missingLink}</Link>} variant="warn">
          {t.copies.missingHere(missingHere)}
        </Notice>
      )}
    </>
  )
}
