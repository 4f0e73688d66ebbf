/** The dialogs of the owner's actions for another account. */
import type { HandleString } from '@atproto/syntax'
import { com } from '../../../lexicons/generated/index.ts'
import { useSession } from '../../api/sessions.ts'
import { newEmail } from '../../parts/account/new-email.ts'
import { NewPasswordField } from '../../parts/account/new-password-field.tsx'
import { useDialogAction } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { ConfirmDialog, FormDialog } from '../../ui/dialog.tsx'
import { Field, TextArea } from '../../ui/field.tsx'
import { accountQueries, type ListedAccount, subjectOf } from './listed-account.ts'

export interface AccountDialogProps {
  readonly account: ListedAccount
  onClose(): void
}

/** The field `note` for the reason of an action. */
function NoteField() {
  return (
    <Field
      autoComplete="off"
      hint={t.accounts.noteHint}
      label={t.accounts.note}
      maxLength={1000}
      name="note"
    />
  )
}

export function SuspendDialog(props: AccountDialogProps) {
  return (
    <StatusDialog
      {...props}
      action={t.accounts.suspend}
      done={t.accounts.suspended}
      state="suspended"
      text={t.accounts.suspendText}
      title={t.accounts.suspendTitle}
    />
  )
}

export function TakedownDialog(props: AccountDialogProps) {
  return (
    <StatusDialog
      {...props}
      action={t.accounts.takedown}
      done={t.accounts.takendown}
      state="takedown"
      text={t.accounts.takedownText}
      title={t.accounts.takedownTitle}
    />
  )
}

interface StatusDialogProps extends AccountDialogProps {
  readonly state: 'suspended' | 'takedown'
  readonly action: string
  readonly text: string
  title(handle: string): string
  done(handle: string): string
}

function StatusDialog({ account, state, title, text, action, done, onClose }: StatusDialogProps) {
  const update = useDialogAction(com.core.admin.updateSubjectStatus, {
    invalidates: accountQueries,
    input: (field) => ({
      subject: subjectOf(account),
      [state]: { applied: true, ref: field('note').trim() || undefined },
    }),
    done: done(account.handle),
    onClose,
  })
  return (
    <FormDialog {...update} action={action} title={title(account.handle)} variant="danger">
      <p>{text}</p>
      <NoteField />
    </FormDialog>
  )
}

export function PasswordDialog({ account: { did, handle }, onClose }: AccountDialogProps) {
  const update = useDialogAction(com.core.admin.updateAccountPassword, {
    input: (field) => ({ did, password: field('newPassword') }),
    done: t.accounts.passwordSet(handle),
    onClose,
  })
  return (
    <FormDialog {...update} action={t.ui.setPassword} title={t.accounts.setPasswordTitle(handle)}>
      <p>{t.accounts.setPasswordText}</p>
      <NewPasswordField username={handle} />
    </FormDialog>
  )
}

/** For an owner who lost the device. */
export function FactorsDialog({ account: { did, handle }, onClose }: AccountDialogProps) {
  const remove = useDialogAction(com.core.admin.removeSecondFactors, {
    input: () => ({ did }),
    done: t.accounts.factorsRemoved(handle),
    onClose,
  })
  return (
    <ConfirmDialog
      {...remove}
      action={t.accounts.removeFactors}
      title={t.accounts.removeFactorsTitle(handle)}
    >
      {t.accounts.removeFactorsText}
    </ConfirmDialog>
  )
}

export function EmailDialog({ account: { did, handle, email }, onClose }: AccountDialogProps) {
  const update = useDialogAction(com.core.admin.updateAccountEmail, {
    invalidates: accountQueries,
    input: (field) => ({ account: did, email: field('email') }),
    done: t.accounts.emailChanged(handle),
    onClose,
  })
  return (
    <FormDialog {...update} action={t.account.changeEmail} title={t.accounts.changeEmailTitle(handle)}>
      <p>{t.accounts.changeEmailText}</p>
      <Field
        autoComplete="off"
        defaultValue={email}
        label={t.accounts.email}
        name="email"
        required
        {...newEmail}
      />
    </FormDialog>
  )
}

export function HandleDialog({ account: { did, handle: current }, onClose }: AccountDialogProps) {
  const update = useDialogAction(com.core.admin.updateAccountHandle, {
    invalidates: accountQueries,
    input: (field) => ({ did, handle: field('handle').trim().toLowerCase() as HandleString }),
    done: ({ handle }) => t.accounts.handleChanged(current, handle),
    onClose,
  })
  return (
    <FormDialog {...update} action={t.identity.changeHandle} title={t.accounts.changeHandleTitle(current)}>
      <p>{t.accounts.changeHandleText}</p>
      <Field exact defaultValue={current} label={t.ui.handle} name="handle" required />
    </FormDialog>
  )
}

/** Sends a message to the email address of the account. */
export function MessageDialog({ account: { did, handle, email = '' }, onClose }: AccountDialogProps) {
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
    <FormDialog {...send} action={t.ui.send} title={t.accounts.messageTitle(handle)}>
      <p>{t.accounts.messageText(email)}</p>
      <Field autoComplete="off" label={t.accounts.messageSubject} maxLength={200} name="subject" required />
      <TextArea label={t.accounts.messageContent} maxLength={50_000} name="content" required rows={8} />
    </FormDialog>
  )
}

/** Stops earned invite codes, with a note. */
export function InvitesDialog({ account: { did, handle }, onClose }: AccountDialogProps) {
  const disable = useDialogAction(com.core.admin.disableAccountInvites, {
    invalidates: accountQueries,
    input: (field) => ({ account: did, note: field('note').trim() || undefined }),
    done: t.accounts.invitesDisabled(handle),
    onClose,
  })
  return (
    <FormDialog
      {...disable}
      action={t.accounts.disableInvitesSubmit}
      title={t.accounts.disableInvitesTitle(handle)}
    >
      <p>{t.accounts.disableInvitesText}</p>
      <NoteField />
    </FormDialog>
  )
}

export function RemoveDialog({ account: { did, handle }, onClose }: AccountDialogProps) {
  const remove = useDialogAction(com.core.admin.deleteAccount, {
    invalidates: accountQueries,
    input: () => ({ did }),
    done: t.account.removedToast(handle),
    onClose,
  })
  return (
    <ConfirmDialog
      {...remove}
      action={t.accounts.remove}
      title={t.accounts.removeTitle(handle)}
      typed={{ label: t.account.removeHandle(handle), text: handle }}
    >
      {t.accounts.removeText}
    </ConfirmDialog>
  )
}
