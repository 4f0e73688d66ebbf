import { Archive } from 'lucide-react'
import type { Backup } from '../../electron/bridge.ts'
import { useDesktopCall, useDesktopQuery } from '../api/desktop.ts'
import { explain } from '../api/errors.ts'
import { t } from '../strings/en.ts'
import { formatBytes, formatDateTime } from '../strings/format.ts'
import { Button } from '../ui/button.tsx'
import { DialogButton } from '../ui/dialog-button.tsx'
import { Row, RowList } from '../ui/page.tsx'
import { Badge, EmptyState, Loaded, Notice } from '../ui/states.tsx'
import { RelativeTime, Since } from '../ui/time.tsx'
import styles from './backups.module.css'
import { RestoreDialog } from './restore-dialog.tsx'

/** The list of backups, newest first. */
export function BackupList() {
  const list = useDesktopQuery('backups.list')
  return (
    <Loaded query={list}>
      {(backups) =>
        backups.length === 0 ? (
          <EmptyState icon={Archive} text={t.backups.noneText} title={t.backups.none} />
        ) : (
          <>
            <LastTest backups={backups} />
            <RowList label={t.backups.list}>
              {newestFirst(backups).map((backup) => (
                <BackupRow backup={backup} key={backup.name} />
              ))}
            </RowList>
          </>
        )
      }
    </Loaded>
  )
}

/** When a backup was last tested, and whether the newest one failed its test. */
function LastTest({ backups }: { readonly backups: readonly Backup[] }) {
  const problem = newestFirst(backups)[0]?.proof?.problem
  const last = backups
    .flatMap(({ proof }) => proof?.provenAt ?? [])
    .toSorted()
    .at(-1)
  const text = <Since at={last} never={t.backups.neverTested} text={`${t.backups.lastTested}:`} />
  if (problem === undefined) return <p className={styles.tested}>{text}</p>
  return (
    <Notice variant="danger">
      {t.backups.newestNotRestorable(problem)} {text}
    </Notice>
  )
}

function newestFirst(backups: readonly Backup[]): Backup[] {
  return backups.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))
}

function BackupRow({ backup }: { readonly backup: Backup }) {
  const { name, isPartial, createdAt, bytes, proof } = backup
  const when = formatDateTime(createdAt)
  const check = useDesktopCall('backups.check', ['backups.list'])
  const failure = check.error ? explain(check.error) : undefined
  const recorded = proof?.problem === undefined ? undefined : t.backups.notRestorable(proof.problem)
  const problem = check.isSuccess ? undefined : (failure ?? recorded)
  const testedAt = check.isSuccess ? new Date(check.submittedAt).toISOString() : proof?.provenAt
  const isTested = problem === undefined && testedAt !== undefined
  return (
    <Row
      action={
        <>
          <Button
            aria-label={t.backups.checkLabel(when)}
            busy={check.isPending}
            onClick={() => check.mutate([name])}
            size="s"
          >
            {testedAt === undefined && problem === undefined ? t.backups.check : t.backups.checkAgain}
          </Button>
          <DialogButton
            aria-label={t.backups.restoreLabel(when)}
            dialog={(close) => <RestoreDialog name={name} onClose={close} />}
            size="s"
          >
            {t.backups.restore}
          </DialogButton>
        </>
      }
      as="li"
      detail={
        <>
          {isPartial && `${t.backups.partial} · `}
          <RelativeTime at={createdAt} /> · {formatBytes(bytes)}
          {isTested &&
            proof?.missingMedia !== undefined &&
            ` · ${t.backups.missingMedia(proof.missingMedia)}`}
          {problem !== undefined && (
            <>
              <br />
              {problem}
            </>
          )}
        </>
      }
      title={
        <>
          {when}{' '}
          <span role="status">
            {problem !== undefined && <Badge variant="danger">{t.backups.damaged}</Badge>}
            {isTested && (
              <Badge variant="good">
                {t.backups.tested} <RelativeTime at={testedAt} />
              </Badge>
            )}
          </span>
        </>
      }
    />
  )
}
