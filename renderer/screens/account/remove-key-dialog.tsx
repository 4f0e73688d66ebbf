import { useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { useProcedure } from '../../api/hooks.ts'
import { t } from '../../strings/en.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { toast } from '../../ui/toast.tsx'
import styles from './identity.module.css'
import { isWrongPassword, OwnPasswordField } from './own-password-field.tsx'

interface RemoveKeyDialogProps {
  readonly publicKey: string
  onClose(): void
}

export function RemoveKeyDialog({ publicKey, onClose }: RemoveKeyDialogProps) {
  const [password, setPassword] = useState('')
  const remove = useProcedure(com.core.identity.removeRecoveryKey, [com.core.identity.listRotationKeys], {
    onSuccess: () => {
      toast(t.identity.keyRemoved)
      onClose()
    },
  })
  return (
    <FormDialog
      action={t.identity.removeSubmit}
      busy={remove.isPending}
      error={isWrongPassword(remove.error) ? null : remove.error}
      onClose={onClose}
      onSubmit={() => remove.mutate({ key: publicKey, password })}
      title={t.identity.removeTitle}
      variant="danger"
    >
      <p>{t.identity.removeText}</p>
      <code className={styles.key}>{publicKey}</code>
      <OwnPasswordField error={remove.error} onChange={setPassword} value={password} />
    </FormDialog>
  )
}
