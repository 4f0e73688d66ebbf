import { Archive } from 'lucide-react'
import { useState } from 'react'
import type { Backup } from '../../../electron/bridge.ts'
import { useDesktopCall, useDesktopQuery } from '../../api/desktop.ts'
import { explain } from '../../api/errors.ts'
import { t } from '../../strings/en.ts'
import { formatBytes, formatDateTime } from '../../strings/format.ts'
import { Button } from '../../ui/button.tsx'
import { Row, RowList } from '../../ui/page.tsx'
import { Badge, EmptyState, Loaded } from '../../ui/states.tsx'
import { RelativeTime } from '../../ui/time.tsx'
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
            <RowList label={t.backups.list}>
              {backups
                .toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))
                .map((backup) => (
                  <BackupRow backup={backup} key={backup.name} onRestore={() => setRestoring(backup)} />
                ))}
            </RowList>
          )
        }
      </Loaded>
      {restoring && <RestoreDialog name={restoring.name} onClose={() => setRestoring(undefined)} />}
    </>
  )
}

function BackupRow({ backup, onRestore }: { readonly backup: Backup; onRestore(): void }) {
  const { name, kind, createdAt, bytes } = backup
  const when = formatDateTime(createdAt)
  const check = useDesktopCall('backups.check')
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
          {check.error && <> · {explain(check.error)}</>}
        </>
      }
      title={
        <>
          {when}{' '}
          <span role="status">
            {check.isSuccess && <Badge variant="good">{t.backups.verified}</Badge>}
            {check.isError && <Badge variant="danger">{t.backups.damaged}</Badge>}
          </span>
        </>
      }
    />
  )
}
