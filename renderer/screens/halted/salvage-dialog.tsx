import type { SalvagePreview } from '../../../electron/bridge.ts'
import { useDesktopQuery } from '../../api/desktop.ts'
import styles from '../../parts/backups.module.css'
import { useDesktopDialogAction } from '../../parts/dialog-action.ts'
import { useRestored } from '../../parts/restored.tsx'
import { t } from '../../strings/en.ts'
import { formatDateTime } from '../../strings/format.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Stack } from '../../ui/page.tsx'
import { Loaded, Notice } from '../../ui/states.tsx'

/** Shows the loss of opening the intact part of the data, and opens it after a confirmation. */
export function SalvageDialog({ onClose }: { readonly onClose: () => void }) {
  const showRestored = useRestored()
  const preview = useDesktopQuery('salvage.preview')
  const { from = 'database' } = preview.data ?? {}
  const run = useDesktopDialogAction('salvage.run', {
    invalidates: ['salvage.preview'],
    input: () => [from],
    onDone: (replaced) => showRestored({ by: 'salvage', replaced }),
    onClose,
  })
  const isChanged = from === 'changed'
  return (
    <ConfirmDialog
      {...run}
      action={isChanged ? t.salvage.useChanged : t.salvage.submit}
      disabled={!preview.isSuccess}
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
