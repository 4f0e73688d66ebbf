import { useState } from 'react'
import { useDesktopCall } from '../../api/desktop.ts'
import { PasswordStrength } from '../../parts/password-strength.tsx'
import { t } from '../../strings/en.ts'
import { PasswordField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Notice } from '../../ui/states.tsx'
import { Switch } from '../../ui/switch.tsx'
import { toast } from '../../ui/toast.tsx'

/** Asks for a passphrase, or an explicit choice of none. The desktop then asks for the location. */
export function ExportDialog({ onClose }: { onClose(): void }) {
  const [passphrase, setPassphrase] = useState('')
  const [repeated, setRepeated] = useState('')
  const [isUnencrypted, setUnencrypted] = useState(false)
  const [isSubmitted, setSubmitted] = useState(false)
  const save = useDesktopCall('backups.export', [], {
    onSuccess: (path) => {
      if (path === undefined) return
      toast(t.backups.exported(path))
      onClose()
    },
  })
  const isSame = passphrase === repeated
  const submit = () => {
    setSubmitted(true)
    if (isUnencrypted) save.mutate([undefined])
    else if (isSame) save.mutate([passphrase])
  }
  return (
    <FormDialog
      action={t.backups.exportSubmit}
      busy={save.isPending}
      error={save.error}
      variant={isUnencrypted ? 'danger' : 'primary'}
      onClose={onClose}
      onSubmit={submit}
      title={t.backups.exportTitle}
    >
      <Notice variant="warn">{t.backups.exportWarning}</Notice>
      {!isUnencrypted && (
        <>
          <PasswordField
            autoComplete="new-password"
            hint={passphrase === '' ? t.backups.passphraseHint : <PasswordStrength password={passphrase} />}
            label={t.backups.passphrase}
            minLength={8}
            onChange={(event) => setPassphrase(event.target.value)}
            required
            value={passphrase}
          />
          <PasswordField
            autoComplete="new-password"
            error={isSubmitted && !isSame ? t.backups.passphraseDiffers : undefined}
            label={t.backups.passphraseAgain}
            onChange={(event) => setRepeated(event.target.value)}
            required
            value={repeated}
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
