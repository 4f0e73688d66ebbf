import { useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { errorName } from '../../api/errors.ts'
import { useProcedure } from '../../api/hooks.ts'
import { useSession } from '../../api/sessions.ts'
import { t } from '../../strings/en.ts'
import { PasswordField, Username } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { toast } from '../../ui/toast.tsx'
import styles from './identity.module.css'

interface RemoveKeyDialogProps {
  readonly publicKey: string
  onClose(): void
}

export function RemoveKeyDialog({ publicKey, onClose }: RemoveKeyDialogProps) {
  const { handle } = useSession()
  const [password, setPassword] = useState('')
  const remove = useProcedure(com.core.identity.removeRecoveryKey, [com.core.identity.listRotationKeys], {
    onSuccess: () => {
      toast(t.identity.keyRemoved)
      onClose()
    },
  })
  const isWrong = errorName(remove.error) === 'AuthenticationRequired'
  return (
    <FormDialog
      action={t.identity.removeSubmit}
      busy={remove.isPending}
      error={isWrong ? null : remove.error}
      onClose={onClose}
      onSubmit={() => remove.mutate({ key: publicKey, password })}
      title={t.identity.removeTitle}
      variant="danger"
    >
      <p>{t.identity.removeText}</p>
      <code className={styles.key}>{publicKey}</code>
      <Username value={handle} />
      <PasswordField
        error={isWrong ? t.identity.wrongPassword : undefined}
        label={t.identity.password}
        onChange={(event) => setPassword(event.target.value)}
        required
        value={password}
      />
    </FormDialog>
  )
}
