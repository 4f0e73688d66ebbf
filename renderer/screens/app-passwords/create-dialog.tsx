import { type FormEvent, useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { useProcedure } from '../../api/hooks.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Stack } from '../../ui/page.tsx'
import { Secret } from '../../ui/secret.tsx'
import { FormError } from '../../ui/states.tsx'
import { Switch } from '../../ui/switch.tsx'

interface CreateDialogProps {
  /** Names that are already used. */
  readonly taken: readonly string[]
  onClose(): void
}

/** Creates an app password, then shows it once. */
export function CreateDialog({ taken, onClose }: CreateDialogProps) {
  const [name, setName] = useState(() => t.appPasswords.suggestions.find((one) => !taken.includes(one)) ?? '')
  const [privileged, setPrivileged] = useState(false)
  const create = useProcedure(com.core.server.createAppPassword, [com.core.server.listAppPasswords])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate({ name, privileged })
  }
  if (create.data) {
    return (
      <Dialog
        dismissible={false}
        key="secret"
        onClose={onClose}
        title={t.appPasswords.createdTitle(create.data.name)}
      >
        <Secret name={t.appPasswords.value} onSaved={onClose} value={create.data.password} />
      </Dialog>
    )
  }
  return (
    <Dialog onClose={onClose} title={t.appPasswords.createTitle}>
      <form onSubmit={submit}>
        <Stack>
          <Field
            autoComplete="off"
            hint={t.appPasswords.nameHint}
            label={t.appPasswords.name}
            maxLength={64}
            onChange={(event) => setName(event.target.value)}
            onFocus={(event) => event.target.select()}
            required
            value={name}
          />
          <Switch
            checked={privileged}
            hint={t.appPasswords.privilegedHint}
            label={t.appPasswords.privilegedLabel}
            onChange={setPrivileged}
          />
          <FormError error={create.error} />
        </Stack>
        <DialogActions>
          <Button onClick={onClose}>{t.ui.cancel}</Button>
          <Button busy={create.isPending} look="primary" type="submit">
            {t.appPasswords.submit}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
