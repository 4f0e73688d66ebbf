import { useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { useProcedure } from '../../api/hooks.ts'
import { t } from '../../strings/en.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Secret } from '../../ui/secret.tsx'
import { Switch } from '../../ui/switch.tsx'

interface CreateDialogProps {
  /** Names that are already used. */
  readonly usedNames: readonly string[]
  onClose(): void
}

/** Creates an app password, then shows it once. */
export function CreateDialog({ usedNames, onClose }: CreateDialogProps) {
  const [privileged, setPrivileged] = useState(false)
  const create = useProcedure(com.core.server.createAppPassword, [com.core.server.listAppPasswords])
  if (create.data) {
    return (
      <Dialog dismissible={false} onClose={onClose} title={t.appPasswords.createdTitle(create.data.name)}>
        <Secret name={t.appPasswords.value} onSaved={onClose} value={create.data.password} />
      </Dialog>
    )
  }
  return (
    <FormDialog
      action={t.appPasswords.submit}
      busy={create.isPending}
      error={create.error}
      onClose={onClose}
      onSubmit={(field) => create.mutate({ name: field('name'), privileged })}
      title={t.appPasswords.createTitle}
    >
      <Field
        autoComplete="off"
        defaultValue={t.appPasswords.suggestions.find((one) => !usedNames.includes(one))}
        hint={t.appPasswords.nameHint}
        label={t.appPasswords.name}
        maxLength={64}
        name="name"
        onFocus={(event) => event.target.select()}
        required
      />
      <Switch
        checked={privileged}
        hint={t.appPasswords.privilegedHint}
        label={t.appPasswords.privilegedLabel}
        onChange={setPrivileged}
      />
    </FormDialog>
  )
}
