import type { SalvagePreview } from '../../../electron/bridge.ts'
import { useDesktopCall, useDesktopQuery } from '../../api/desktop.ts'
import styles from '../../parts/backups.module.css'
import { useRestored } from '../../parts/restore-dialog.tsx'
import { t } from '../../strings/en.ts'
import { formatDateTime } from '../../strings/format.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Stack } from '../../ui/page.tsx'
import { Loaded, Notice } from '../../ui/states.tsx'

/** Shows what opening the intact part of the data would lose, and opens it after a confirmation. */
export function SalvageDialog({ onClose }: { readonly onClose: () => void }) {
  const preview = useDesktopQuery('salvage.preview')
  const onOpened = useRestored(onClose, 'salvage')
  const run = useDesktopCall('salvage.run', ['salvage.preview'], { onSuccess: onOpened })
  const { data } = preview
  const isChanged = data?.from === 'changed'
  return (
    <ConfirmDialog
      action={isChanged ? t.salvage.useChanged : t.salvage.submit}
      busy={run.isPending}
      error={run.error}
      onClose={onClose}
      onSubmit={() => data && run.mutate([data.from])}
      ready={preview.isSuccess}
      title={isChanged ? t.salvage.changedTitle : t.salvage.title}
    >
      <Stack>
        <Loaded query={preview} rows={3}>
          {(found) => <Loss preview={found} />}
        </Loaded>
        <p>{t.salvage.kept}</p>
      </Stack>
    </ConfirmDialog>
  )
}

function Loss({ preview }: { readonly preview: SalvagePreview }) {
  const { from, damaged, lostTransactions, isExact, keptUntil, writtenUntil } = preview
  return (
    <Stack>
      <Notice variant="warn">{t.salvage.from[from]}</Notice>
      <dl className={styles.content}>
        {from !== 'changed' && damaged.length > 0 && (
          <>
            <dt>{t.salvage.damaged}</dt>
            <dd>{damaged.join(', ')}</dd>
          </>
        )}
        <dt>{t.salvage.lost}</dt>
        <dd>{t.salvage.changes(lostTransactions, isExact)}</dd>
        {keptUntil && (
          <>
            <dt>{t.salvage.keptUntil}</dt>
            <dd>{formatDateTime(keptUntil)}</dd>
          </>
        )}
        {writtenUntil && (
          <>
            <dt>{t.salvage.writtenUntil}</dt>
            <dd>{formatDateTime(writtenUntil)}</dd>
          </>
        )}
      </dl>
    </Stack>
  )
}
