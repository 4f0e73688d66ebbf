import { com } from '../../../lexicons/generated/index.ts'
import { useDialogAction } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { Field } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'

export function CreateInvitesDialog({ onClose }: { onClose(): void }) {
  const create = useDialogAction(com.core.server.createInviteCodes, {
    invalidates: [com.core.server.getAccountInviteCodes],
    input: (field) => ({ codeCount: Number(field('codeCount')), useCount: Number(field('useCount')) }),
    done: ({ codeCount }) => t.invites.codesCreated(codeCount),
    onClose,
  })
  return (
    <FormDialog {...create} action={t.invites.submit} title={t.invites.createTitle}>
      <Field
        defaultValue="1"
        hint={t.invites.codeCountHint}
        inputMode="numeric"
        label={t.invites.codeCount}
        max={100}
        min={1}
        name="codeCount"
        required
        type="number"
      />
      <Field
        defaultValue="1"
        hint={t.invites.useCountHint}
        inputMode="numeric"
        label={t.invites.useCount}
        max={1000}
        min={1}
        name="useCount"
        required
        type="number"
      />
    </FormDialog>
  )
}
