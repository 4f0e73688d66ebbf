import type { SalvagePreview } from '../../../electron/ground/bridge.ts'
import { callDesktop, useDesktopQuery } from '../../api/desktop.ts'
import { useRestored } from '../../parts/backups/restored.tsx'
import { useDesktopDialogAction } from '../../parts/dialog-action.ts'
import { Facts } from '../../parts/facts.tsx'
import { t } from '../../strings/en.ts'
import { formatDateTime } from '../../strings/format.ts'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { Stack } from '../../ui/page.tsx'
import { Loaded, Notice } from '../../ui/states.tsx'

/** Shows the loss of opening the intact part of the data, and opens it after a confirmation. */
export function SalvageDialog(props: { readonly onClose: () => void }) {
  const showRestored = useRestored()
  const preview = useDesktopQuery('salvage.preview')
  const { from = 'database' } = preview.data ?? {}
  const onClose = () => {
    void callDesktop('restore.cancel')
    props.onClose()
  }
  const run = useDesktopDialogAction('salvage.run', {
    invalidates: ['salvage.preview'],
    input: () => [from],
    onDone: (replaced) => showRestored({ replaced }),
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
  const { from, damaged, lostTransactions, isExact, keptUntil, writtenUntil, unread } = preview
  return (
    <Stack>
      <Notice variant="warn">{t.salvage.from[from]}</Notice>
      {unread.length > 0 && (
        <Notice variant="danger">
          {t.salvage.unread} {unread.join(' ')}
        </Notice>
      )}
      <Facts
        facts={{
          [t.salvage.damaged]: from !== 'changed' && damaged.length > 0 ? damaged.join(', ') : undefined,
          [t.salvage.lost]: t.salvage.changes(lostTransactions, isExact),
          [t.salvage.keptUntil]: keptUntil && formatDateTime(keptUntil),
          [t.salvage.writtenUntil]: writtenUntil && formatDateTime(writtenUntil),
        }}
      />
    </Stack>
  )
}
