import { type FormEvent, useEffect, useState } from 'react'
import type { BackupContent } from '../../../electron/bridge.ts'
import { useDo } from '../../api/desktop.ts'
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

/** Opens a chosen file, by its passphrase if it has one; then shows what it holds, and takes it over. */
export function ImportDialog({ chosen, onClose }: ImportDialogProps) {
  const [passphrase, setPassphrase] = useState('')
  const open = useDo('backups.previewChosen')
  const { mutate } = open
  useEffect(() => {
    if (!chosen.encrypted) mutate([undefined])
  }, [chosen, mutate])
  if (open.data) {
    const [used] = open.variables
    return <TakeOverDialog content={open.data} file={chosen.file} onClose={onClose} passphrase={used} />
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

interface TakeOverDialogProps {
  readonly file: string
  readonly content: BackupContent
  readonly passphrase: string | undefined
  onClose(): void
}

function TakeOverDialog({ file, content, passphrase, onClose }: TakeOverDialogProps) {
  const onRestored = useRestored(onClose)
  const takeOver = useDo('backups.import', ['backups.list'], { onSuccess: onRestored })
  return (
    <ConfirmDialog
      action={t.backups.restoreSubmit}
      busy={takeOver.isPending}
      error={takeOver.error}
      onClose={onClose}
      onConfirm={() => takeOver.mutate([passphrase])}
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
