import { com } from '../../../lexicons/generated/index.ts'
import { useSession } from '../../api/sessions.ts'
import { useDialogAction } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { Field, TextArea } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import type { ListedAccount } from './listed-account.ts'

interface MessageDialogProps {
  readonly account: ListedAccount
  onClose(): void
}

/** Sends a message to the email address of an account. */
export function MessageDialog({ account: { did, handle, email = '' }, onClose }: MessageDialogProps) {
  const { did: senderDid } = useSession()
  const send = useDialogAction(com.core.admin.sendEmail, {
    input: (field) => ({
      recipientDid: did,
      senderDid,
      subject: field('subject'),
      content: field('content'),
    }),
    done: t.accounts.messageSent(handle),
    onClose,
  })
  return (
    <FormDialog {...send} action={t.accounts.messageSubmit} title={t.accounts.messageTitle(handle)}>
      <p>{t.accounts.messageText(email)}</p>
      <Field autoComplete="off" label={t.accounts.messageSubject} maxLength={200} name="subject" required />
      <TextArea label={t.accounts.messageContent} maxLength={50_000} name="content" required rows={8} />
    </FormDialog>
  )
}
