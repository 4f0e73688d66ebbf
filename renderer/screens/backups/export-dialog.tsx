import { type FormEvent, useState } from 'react'
import { useDo } from '../../api/desktop.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { PasswordField } from '../../ui/field.tsx'
import { Stack } from '../../ui/page.tsx'
import { FormError, Notice } from '../../ui/states.tsx'
import { Switch } from '../../ui/switch.tsx'
import { toast } from '../../ui/toast.tsx'
import { PasswordStrength } from '../password-strength.tsx'

/** Asks for a passphrase, or for the wish to do without, before the desktop asks where the file shall go. */
export function ExportDialog({ onClose }: { onClose(): void }) {
  const [passphrase, setPassphrase] = useState('')
  const [again, setAgain] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [isTold, setTold] = useState(false)
  const save = useDo('backups.export', [], {
    onSuccess: (path) => {
      if (path === undefined) return
      toast(t.backups.exported(path))
      onClose()
    },
  })
  const isSame = passphrase === again
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTold(true)
    if (isOpen) save.mutate([undefined])
    else if (isSame) save.mutate([passphrase])
  }
  return (
    <Dialog onClose={onClose} title={t.backups.exportTitle}>
      <form onSubmit={submit}>
        <Stack>
          <Notice look="warn">{t.backups.exportWarning}</Notice>
          {!isOpen && (
            <>
              <PasswordField
                autoComplete="new-password"
                hint={
                  passphrase === '' ? t.backups.passphraseHint : <PasswordStrength password={passphrase} />
                }
                label={t.backups.passphrase}
                minLength={8}
                onChange={(event) => setPassphrase(event.target.value)}
                required
                value={passphrase}
              />
              <PasswordField
                autoComplete="new-password"
                error={isTold && !isSame ? t.backups.passphraseDiffers : undefined}
                label={t.backups.passphraseAgain}
                onChange={(event) => setAgain(event.target.value)}
                required
                value={again}
              />
            </>
          )}
          <Switch
            checked={isOpen}
            hint={t.backups.noPassphraseHint}
            label={t.backups.noPassphrase}
            onChange={setOpen}
          />
          <FormError error={save.error} />
        </Stack>
        <DialogActions>
          <Button onClick={onClose}>{t.ui.cancel}</Button>
          <Button busy={save.isPending} look={isOpen ? 'danger' : 'primary'} type="submit">
            {t.backups.exportSubmit}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
