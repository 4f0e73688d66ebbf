import { useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { useProcedure } from '../../api/hooks.ts'
import { t } from '../../strings/en.ts'
import { Field } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { toast } from '../../ui/toast.tsx'

export function CreateInvitesDialog({ onClose }: { onClose(): void }) {
  const [codeCount, setCodeCount] = useState('1')
  const [useCount, setUseCount] = useState('1')
  const create = useProcedure(com.core.server.createInviteCodes, [com.core.server.getAccountInviteCodes], {
    onSuccess: (_, { codeCount: made }) => {
      toast(t.invites.codesCreated(made))
      onClose()
    },
  })
  return (
    <FormDialog
      action={t.invites.submit}
      busy={create.isPending}
      error={create.error}
      onClose={onClose}
      onSubmit={() => create.mutate({ codeCount: Number(codeCount), useCount: Number(useCount) })}
      title={t.invites.createTitle}
    >
      <Field
        hint={t.invites.codeCountHint}
        inputMode="numeric"
        label={t.invites.codeCount}
        max={100}
        min={1}
        onChange={(event) => setCodeCount(event.target.value)}
        required
        type="number"
        value={codeCount}
      />
      <Field
        hint={t.invites.useCountHint}
        inputMode="numeric"
        label={t.invites.useCount}
        max={1000}
        min={1}
        onChange={(event) => setUseCount(event.target.value)}
        required
        type="number"
        value={useCount}
      />
    </FormDialog>
  )
}
