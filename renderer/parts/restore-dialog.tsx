import { useQueryClient } from '@tanstack/react-query'
import { useDesktopQuery } from '../api/desktop.ts'
import { t } from '../strings/en.ts'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Stack } from '../ui/page.tsx'
import { Loaded, Notice } from '../ui/states.tsx'
import { Content } from './backup-content.tsx'
import { useDesktopDialogAction } from './dialog-action.ts'
import { previousData } from './restored.tsx'

/** Shows the contents of a backup, and restores it after a typed confirmation. */
export function RestoreDialog({ name, onClose }: { readonly name: string; onClose(): void }) {
  const preview = useDesktopQuery('backups.preview', name)
  const restore = useDesktopDialogAction('backups.restore', {
    invalidates: ['backups.list'],
    input: () => [name],
    onDone: useRestored(),
    onClose,
  })
  return (
    <ConfirmDialog
      {...restore}
      action={t.backups.restoreSubmit}
      disabled={!preview.isSuccess}
      title={t.backups.restoreTitle}
      typed={{ label: t.backups.typed, text: t.backups.typedWord }}
    >
      <Stack>
        <Loaded query={preview} rows={2}>
          {(content) => <Content content={content} />}
        </Loaded>
        <Notice variant="warn">{t.backups.restoreText}</Notice>
      </Stack>
    </ConfirmDialog>
  )
}

/** Runs after a restore or salvage: shows the result and invalidates all queries. */
export function useRestored(by: 'restore' | 'salvage' = 'restore'): (keptIn: string) => void {
  const client = useQueryClient()
  return (keptIn) => {
    previousData.set({ folder: keptIn, by })
    void client.invalidateQueries()
  }
}
