import { Archive } from 'lucide-react'
import { useState } from 'react'
import type { Backup } from '../../electron/bridge.ts'
import { useDesktopCall, useDesktopQuery } from '../api/desktop.ts'
import { explain } from '../api/errors.ts'
import { t } from '../strings/en.ts'
import { formatBytes, formatDateTime } from '../strings/format.ts'
import { Button } from '../ui/button.tsx'
import { Row, RowList } from '../ui/page.tsx'
import { Badge, EmptyState, Loaded, Notice } from '../ui/states.tsx'
import { RelativeTime } from '../ui/time.tsx'
import styles from './backups.module.css'
import { RestoreDialog } from './restore-dialog.tsx'

/** The list of backups, newest first. */
export function BackupList() {
  const list = useDesktopQuery('backups.list')
  const [restoring, setRestoring] = useState<Backup>()
  return (
    <>
      <Loaded query={list}>
        {(backups) =>
          backups.length === 0 ? (
            <EmptyState icon={<Archive aria-hidden size={28} />} title={t.backups.none}>
              {t.backups.noneText}
            </EmptyState>
          ) : (
            <>
              <Proven backups={backups} />
              <RowList label={t.backups.list}>
                {newestFirst(backups).map((backup) => (
                  <BackupRow backup={backup} key={backup.name} onRestore={() => setRestoring(backup)} />
                ))}
              </RowList>
            </>
          )
        }
      </Loaded>
      {restoring && <RestoreDialog name={restoring.name} onClose={() => setRestoring(undefined)} />}
    </>
  )
}

/** When a backup was last proven restorable, and whether the newest one is not. */
function Proven({ backups }: { readonly backups: readonly Backup[] }) {
  const problem = newestFirst(backups)[0]?.proof?.problem
  const last = backups
    .flatMap(({ proof }) => proof?.provenAt ?? [])
    .toSorted()
    .at(-1)
  const proven =
    last === undefined ? (
      t.backups.neverProven
    ) : (
      <>
        {t.backups.proven}: <RelativeTime at={last} />
      </>
    )
  if (problem === undefined) return <p className={styles.proven}>{proven}</p>
  return (
    <Notice variant="danger">
      {t.backups.newestNotRestorable(problem)} {proven}
    </Notice>
  )
}

function newestFirst(backups: readonly Backup[]): Backup[] {
  return backups.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))
}

function BackupRow({ backup, onRestore }: { readonly backup: Backup; onRestore(): void }) {
  const { name, kind, createdAt, bytes, proof } = backup
  const when = formatDateTime(createdAt)
  const check = useDesktopCall('backups.check', ['backups.list'])
  const failure = check.error ? explain(check.error) : undefined
  const recorded = proof?.problem === undefined ? undefined : t.backups.notRestorable(proof.problem)
  const problem = check.isSuccess ? undefined : (failure ?? recorded)
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
            {t.backups.check}
          </Button>
          <Button aria-label={t.backups.restoreLabel(when)} onClick={onRestore} size="s">
            {t.backups.restore}
          </Button>
        </>
      }
      as="li"
      detail={
        <>
          {t.backups.kinds[kind]} · <RelativeTime at={createdAt} /> · {formatBytes(bytes)}
          {problem === undefined && proof?.provenAt && (
            <>
              <br />
              {t.backups.proven}: <RelativeTime at={proof.provenAt} />
              {proof.missingMedia !== undefined && ` · ${t.backups.missingMedia(proof.missingMedia)}`}
            </>
          )}
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
            {problem === undefined && (check.isSuccess || proof) && (
              <Badge variant="good">{t.backups.verified}</Badge>
            )}
          </span>
        </>
      }
    />
  )
}
