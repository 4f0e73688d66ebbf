import { useState } from 'react'
import { StrengthField } from '../../parts/account/new-password-field.tsx'
import { useDesktopDialogAction } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { PasswordField } from '../../ui/field.tsx'
import type { Fields } from '../../ui/form.tsx'
import { Notice } from '../../ui/states.tsx'
import { Switch } from '../../ui/switch.tsx'

/** Asks for a passphrase, or an explicit choice of none. The desktop then asks for the location. */
export function ExportDialog({ onClose }: { onClose(): void }) {
  const [isUnencrypted, setUnencrypted] = useState(false)
  const [isMismatch, setMismatch] = useState(false)
  const save = useDesktopDialogAction('backups.export', {
    input: (field) => [isUnencrypted ? undefined : field('passphrase')],
    done: (_, path) => path && t.backups.exported(path),
    onClose,
  })
  const submit = (field: Fields) => {
    const isSame = isUnencrypted || field('passphrase') === field('repeated')
    setMismatch(!isSame)
    if (isSame) save.onSubmit(field)
  }
  return (
    <FormDialog
      {...save}
      action={t.backups.exportSubmit}
      onSubmit={submit}
      title={t.backups.exportTitle}
      variant={isUnencrypted ? 'danger' : 'primary'}
    >
      <Notice variant="warn">{t.backups.exportWarning}</Notice>
      {!isUnencrypted && (
        <>
          <StrengthField hint={t.backups.passphraseHint} label={t.backups.passphrase} name="passphrase" />
          <PasswordField
            autoComplete="new-password"
            error={isMismatch ? t.backups.passphraseDiffers : undefined}
            label={t.backups.passphraseAgain}
            name="repeated"
            required
          />
        </>
      )}
      <Switch
        checked={isUnencrypted}
        hint={t.backups.noPassphraseHint}
        label={t.backups.noPassphrase}
        onChange={setUnencrypted}
      />
    </FormDialog>
  )
}
