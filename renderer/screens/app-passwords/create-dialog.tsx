import { useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import type { Body } from '../../api/client.ts'
import { useDialogAction } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { Field } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Switch } from '../../ui/switch.tsx'

export type CreatedPassword = Body<typeof com.core.server.createAppPassword.main>

interface CreateDialogProps {
  /** Names that are already used. */
  readonly usedNames: readonly string[]
  onCreated(created: CreatedPassword): void
  onClose(): void
}

export function CreateDialog({ usedNames, onCreated, onClose }: CreateDialogProps) {
  const [privileged, setPrivileged] = useState(false)
  const create = useDialogAction(com.core.server.createAppPassword, {
    invalidates: [com.core.server.listAppPasswords],
    input: (field) => ({ name: field('name'), privileged }),
    onDone: onCreated,
    onClose,
  })
  return (
    <FormDialog {...create} action={t.appPasswords.submit} title={t.appPasswords.createTitle}>
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
