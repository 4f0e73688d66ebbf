import { HardDrive } from 'lucide-react'
import { useMemo } from 'react'
import { type CopyPlace, placeName } from '../../api/copies.ts'
import { isAtServer } from '../../api/endpoint.ts'
import { useRestoresHere } from '../../api/restores.ts'
import { t } from '../../strings/en.ts'
import { formatAge, formatLength } from '../../strings/format.ts'
import { Meter } from '../../ui/meter.tsx'
import { Badge } from '../../ui/states.tsx'
import { Since } from '../../ui/time.tsx'
import { DecisionButton } from './decision-button.tsx'
import { PlaceNotices } from './place-notices.tsx'
import { ReplicaRow } from './replica-row.tsx'
import { LoadedPoints } from './restore-points.tsx'
import { useSecondsLeft } from './time-left.ts'

interface PlaceRowProps {
  readonly place: CopyPlace
  /** Whether the owner can change places here. */
  readonly isEditable: boolean
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
  if (lastCopiedAt === undefined) return place.missingMedia > 0 ? 'sending' : 'waiting'
  return place.behindSeconds > behindSeconds || place.missingMedia > 0 ? 'behind' : 'current'
}

/** A place outside of this computer: its state, its problems with their fixes, and its restore points. */
export function PlaceRow({ place, isEditable, now }: PlaceRowProps) {
  const { url, added: isOwn = false } = place
  const name = placeName(url)
  const state = stateOf(place)
  const isElsewhere = useRestoresHere() === false
  const source = useMemo(() => ({ from: 'place', url }) as const, [url])
  return (
    <ReplicaRow
      action={
        isEditable &&
        isOwn && <DecisionButton decision="remove" label={t.ui.removeNamed(name)} name={name} url={url} />
      }
      badges={
        <>
          <Badge variant={variants[state]}>{t.copies.states[state]}</Badge>
          {isEditable && !isOwn && <Badge>{t.copies.configured}</Badge>}
        </>
      }
      detail={<Detail now={now} place={place} />}
      icon={<HardDrive aria-hidden size={20} strokeWidth={1.75} />}
      name={name}
      // When its problem changes, it is read again.
      points={isAtServer && <LoadedPoints key={place.problem?.kind} name={name} source={source} />}
    >
      <PlaceNotices
        isOwn={isEditable && isOwn}
        name={name}
        place={place}
        source={isAtServer && !isElsewhere ? source : undefined}
      />
    </ReplicaRow>
  )
}

function timeLeft(seconds: number): string {
  return seconds < 60 ? t.copies.soon : t.copies.left(formatLength(seconds))
}

function Detail({ place, now }: Pick<PlaceRowProps, 'place' | 'now'>) {
  const { lastCopiedAt, lastProvenAt, progress, paused, missingMedia } = place
  const secondsLeft = useSecondsLeft(progress, now)
  const sent = progress && t.copies.sent(progress.sent, progress.total)
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
      {progress && sent !== undefined && (
        <p>
          {sent}
          {secondsLeft !== undefined && ` · ${timeLeft(secondsLeft)}`}
          <Meter label={t.copies.progress} max={progress.total} title={sent} value={progress.sent} />
        </p>
      )}
      {paused && <p>{t.copies.paused}</p>}
      {place.behindSeconds > behindSeconds && <p>{t.copies.behind(formatLength(place.behindSeconds))}</p>}
      {missingMedia > 0 && <p>{t.copies.missingMedia(missingMedia)}</p>}
    </>
  )
}
