import type { HandleString } from '@atproto/syntax'
import { com } from '../../../lexicons/generated/index.ts'
import { useDialogAction } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { Field } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { accountQueries, type ListedAccount } from './listed-account.ts'

interface HandleDialogProps {
  readonly account: ListedAccount
  onClose(): void
}

export function HandleDialog({ account: { did, handle: current }, onClose }: HandleDialogProps) {
  const update = useDialogAction(com.core.admin.updateAccountHandle, {
    invalidates: accountQueries,
    input: (field) => ({ did, handle: field('handle').trim().toLowerCase() as HandleString }),
    done: ({ handle }) => t.accounts.handleChanged(current, handle),
    onClose,
  })
  return (
    <FormDialog
      {...update}
      action={t.accounts.changeHandleSubmit}
      title={t.accounts.changeHandleTitle(current)}
    >
      <p>{t.accounts.changeHandleText}</p>
      <Field
        autoCapitalize="none"
        autoComplete="off"
        defaultValue={current}
        label={t.accounts.handle}
        name="handle"
        required
        spellCheck={false}
      />
    </FormDialog>
  )
}
