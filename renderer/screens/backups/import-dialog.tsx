import { useEffect } from 'react'
import type { BackupContent } from '../../../electron/bridge.ts'
import { useDesktopCall } from '../../api/desktop.ts'
import { Content } from '../../parts/backup-content.tsx'
import { useDesktopDialogAction } from '../../parts/dialog-action.ts'
import { useRestored } from '../../parts/restore-dialog.tsx'
import { t } from '../../strings/en.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { PasswordField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Stack } from '../../ui/page.tsx'
import { Notice } from '../../ui/states.tsx'

interface ImportDialogProps {
  readonly chosen: { readonly file: string; readonly encrypted: boolean }
  onClose(): void
}

/** Opens the chosen file, with its passphrase if encrypted, shows its contents, then imports it. */
export function ImportDialog({ chosen, onClose }: ImportDialogProps) {
  const open = useDesktopCall('backups.previewChosen')
  const { mutate } = open
  useEffect(() => {
    if (!chosen.encrypted) mutate([undefined])
  }, [chosen, mutate])
  if (open.data) {
    const [used] = open.variables
    return <ConfirmImportDialog content={open.data} file={chosen.file} onClose={onClose} passphrase={used} />
  }
  return (
    <FormDialog
      action={t.backups.importOpen}
      busy={open.isPending}
      error={open.error}
      onClose={onClose}
      onSubmit={(field) => mutate([chosen.encrypted ? field('passphrase') : undefined])}
      title={t.backups.importTitle}
    >
      {chosen.encrypted && (
        <PasswordField autoComplete="off" label={t.backups.importPassphrase} name="passphrase" required />
      )}
    </FormDialog>
  )
}

interface ConfirmImportDialogProps {
  readonly file: string
  readonly content: BackupContent
  readonly passphrase: string | undefined
  onClose(): void
}

function ConfirmImportDialog({ file, content, passphrase, onClose }: ConfirmImportDialogProps) {
  const importing = useDesktopDialogAction('backups.import', {
    invalidates: ['backups.list'],
    input: () => [passphrase],
    onDone: useRestored(),
    onClose,
  })
  return (
    <ConfirmDialog
      {...importing}
      action={t.backups.restoreSubmit}
      title={t.backups.importTitle}
      typed={{ label: t.backups.typed, text: t.backups.typedWord }}
    >
      <Stack>
        <p>{t.backups.importText(file)}</p>
        <Content content={content} />
        <Notice variant="warn">{t.backups.restoreText}</Notice>
      </Stack>
    </ConfirmDialog>
  )
}
