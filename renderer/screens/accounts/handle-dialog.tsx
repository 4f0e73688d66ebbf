import type { HandleString } from '@atproto/syntax'
import { useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { useProcedure } from '../../api/hooks.ts'
import { t } from '../../strings/en.ts'
import { Field } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { toast } from '../../ui/toast.tsx'
import { accountQueries, type ListedAccount } from './listed-account.ts'

interface HandleDialogProps {
  readonly account: ListedAccount
  onClose(): void
}

export function HandleDialog({ account: { did, handle: current }, onClose }: HandleDialogProps) {
  const [handle, setHandle] = useState<string>(current)
  const update = useProcedure(com.core.admin.updateAccountHandle, accountQueries, {
    onSuccess: () => {
      toast(t.accounts.handleChanged(current, handle))
      onClose()
    },
  })
  return (
    <FormDialog
      action={t.accounts.changeHandleSubmit}
      busy={update.isPending}
      error={update.error}
      onClose={onClose}
      onSubmit={() => update.mutate({ did, handle: handle as HandleString })}
      title={t.accounts.changeHandleTitle(current)}
    >
      <p>{t.accounts.changeHandleText}</p>
      <Field
        autoCapitalize="none"
        autoComplete="off"
        label={t.accounts.handle}
        onChange={(event) => setHandle(event.target.value.trim().toLowerCase())}
        required
        spellCheck={false}
        value={handle}
      />
    </FormDialog>
  )
}
