import { type FormEvent, useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { useProcedure } from '../../api/hooks.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Stack } from '../../ui/page.tsx'
import { FormError } from '../../ui/states.tsx'
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
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate({ codeCount: Number(codeCount), useCount: Number(useCount) })
  }
  return (
    <Dialog onClose={onClose} title={t.invites.createTitle}>
      <form onSubmit={submit}>
        <Stack>
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
          <FormError error={create.error} />
        </Stack>
        <DialogActions>
          <Button onClick={onClose}>{t.ui.cancel}</Button>
          <Button busy={create.isPending} look="primary" type="submit">
            {t.invites.submit}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
