import { useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { useProcedure } from '../../api/hooks.ts'
import { useSession } from '../../api/sessions.ts'
import { t } from '../../strings/en.ts'
import { Field } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { TextArea } from '../../ui/text-area.tsx'
import { toast } from '../../ui/toast.tsx'
import type { ListedAccount } from './listed-account.ts'

interface MessageDialogProps {
  readonly account: ListedAccount
  onClose(): void
}

/** Sends a message to the email address of an account. */
export function MessageDialog({ account: { did, handle, email = '' }, onClose }: MessageDialogProps) {
  const { did: senderDid } = useSession()
  const [subject, setSubject] = useState('')
  const [content, setContent] = useState('')
  const send = useProcedure(com.core.admin.sendEmail, [], {
    onSuccess: () => {
      toast(t.accounts.messageSent(handle))
      onClose()
    },
  })
  return (
    <FormDialog
      action={t.accounts.messageSubmit}
      busy={send.isPending}
      error={send.error}
      onClose={onClose}
      onSubmit={() => send.mutate({ recipientDid: did, senderDid, subject, content })}
      title={t.accounts.messageTitle(handle)}
    >
      <p>{t.accounts.messageText(email)}</p>
      <Field
        autoComplete="off"
        label={t.accounts.messageSubject}
        maxLength={200}
        onChange={(event) => setSubject(event.target.value)}
        required
        value={subject}
      />
      <TextArea
        label={t.accounts.messageContent}
        maxLength={50_000}
        onChange={(event) => setContent(event.target.value)}
        required
        value={content}
      />
    </FormDialog>
  )
}
