import { useQueryClient } from '@tanstack/react-query'
import { useAsk, useDo } from '../../api/desktop.ts'
import { t } from '../../strings/en.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Stack } from '../../ui/page.tsx'
import { Loaded, Notice } from '../../ui/states.tsx'
import { Content } from './content.tsx'
import { restoredFrom } from './restored.tsx'

/** Shows what a backup holds, and takes it once somebody has typed that they want it. */
export function RestoreDialog({ name, onClose }: { readonly name: string; onClose(): void }) {
  const preview = useAsk('backups.preview', name)
  const onRestored = useRestored(onClose)
  const restore = useDo('backups.restore', ['backups.list'], { onSuccess: onRestored })
  return (
    <ConfirmDialog
      action={t.backups.restoreSubmit}
      busy={restore.isPending}
      error={restore.error}
      onClose={onClose}
      onConfirm={() => restore.mutate([name])}
      ready={preview.isSuccess}
      title={t.backups.restoreTitle}
      typed={{ label: t.backups.typed, text: t.backups.typedWord }}
    >
      <Stack>
        <Loaded query={preview} rows={2}>
          {(content) => <Content content={content} />}
        </Loaded>
        <Notice look="warn">{t.backups.restoreText}</Notice>
      </Stack>
    </ConfirmDialog>
  )
}

/** What follows a restoration: nothing that was read before is true any more. */
export function useRestored(onClose: () => void): (keptIn: string) => void {
  const client = useQueryClient()
  return (keptIn) => {
    restoredFrom.set(keptIn)
    onClose()
    void client.invalidateQueries()
  }
}
