import { com } from '../../../lexicons/generated/index.ts'
import { useDialogAction } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import styles from './identity.module.css'
import { isWrongPassword, OwnPasswordField } from './own-password-field.tsx'

interface RemoveKeyDialogProps {
  readonly publicKey: string
  onClose(): void
}

export function RemoveKeyDialog({ publicKey, onClose }: RemoveKeyDialogProps) {
  const remove = useDialogAction(com.core.identity.removeRecoveryKey, {
    invalidates: [com.core.identity.listRotationKeys],
    input: (field) => ({ key: publicKey, password: field('password') }),
    done: t.identity.keyRemoved,
    onClose,
  })
  return (
    <FormDialog
      {...remove}
      action={t.identity.removeSubmit}
      error={isWrongPassword(remove.error) ? null : remove.error}
      title={t.identity.removeTitle}
      variant="danger"
    >
      <p>{t.identity.removeText}</p>
      <code className={styles.key}>{publicKey}</code>
      <OwnPasswordField error={remove.error} />
    </FormDialog>
  )
}
