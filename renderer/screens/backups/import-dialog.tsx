import { type FormEvent, useEffect, useState } from 'react'
import type { BackupContent } from '../../../electron/bridge.ts'
import { useDesktopCall } from '../../api/desktop.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { PasswordField } from '../../ui/field.tsx'
import { Stack } from '../../ui/page.tsx'
import { FormError, Notice } from '../../ui/states.tsx'
import { Content } from './content.tsx'
import { useRestored } from './restore-dialog.tsx'

interface ImportDialogProps {
  readonly chosen: { readonly file: string; readonly encrypted: boolean }
  onClose(): void
}

/** Opens the chosen file, with its passphrase if encrypted, shows its contents, then imports it. */
export function ImportDialog({ chosen, onClose }: ImportDialogProps) {
  const [passphrase, setPassphrase] = useState('')
  const open = useDesktopCall('backups.previewChosen')
  const { mutate } = open
  useEffect(() => {
    if (!chosen.encrypted) mutate([undefined])
  }, [chosen, mutate])
  if (open.data) {
    const [used] = open.variables
    return <ConfirmImportDialog content={open.data} file={chosen.file} onClose={onClose} passphrase={used} />
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!open.isPending) mutate([chosen.encrypted ? passphrase : undefined])
  }
  return (
    <Dialog key="open" onClose={onClose} title={t.backups.importTitle}>
      <form onSubmit={submit}>
        <Stack>
          {chosen.encrypted && (
            <PasswordField
              autoComplete="off"
              label={t.backups.importPassphrase}
              onChange={(event) => setPassphrase(event.target.value)}
              required
              value={passphrase}
            />
          )}
          <FormError error={open.error} />
        </Stack>
        <DialogActions>
          <Button onClick={onClose}>{t.ui.cancel}</Button>
          <Button busy={open.isPending} look="primary" type="submit">
            {t.backups.importOpen}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

interface ConfirmImportDialogProps {
  readonly file: string
  readonly content: BackupContent
  readonly passphrase: string | undefined
  onClose(): void
}

function ConfirmImportDialog({ file, content, passphrase, onClose }: ConfirmImportDialogProps) {
  const onRestored = useRestored(onClose)
  const importing = useDesktopCall('backups.import', ['backups.list'], { onSuccess: onRestored })
  return (
    <ConfirmDialog
      action={t.backups.restoreSubmit}
      busy={importing.isPending}
      error={importing.error}
      onClose={onClose}
      onConfirm={() => importing.mutate([passphrase])}
      title={t.backups.importTitle}
      typed={{ label: t.backups.typed, text: t.backups.typedWord }}
    >
      <Stack>
        <p>{t.backups.importText(file)}</p>
        <Content content={content} />
        <Notice look="warn">{t.backups.restoreText}</Notice>
      </Stack>
    </ConfirmDialog>
  )
}
