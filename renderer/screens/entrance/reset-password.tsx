import { useMutation } from '@tanstack/react-query'
import { Link, useLocation } from 'wouter'
import { com } from '../../../lexicons/generated/index.ts'
import { call } from '../../api/client.ts'
import { useDelivery, useKeepsMail } from '../../api/codes.ts'
import { entrances } from '../../entrances.ts'
import { NewPasswordField } from '../../parts/account/new-password-field.tsx'
import { OutboxHint } from '../../parts/mail/outbox-hint.tsx'
import { t } from '../../strings/en.ts'
import { CodeField, Field } from '../../ui/field.tsx'
import { toast } from '../../ui/toast.tsx'
import { EntranceForm } from './entrance-form.tsx'

/** Has a code sent, then sets a new password. */
export function ResetPassword() {
  const request = useMutation({
    mutationFn: (address: string) => call(com.core.server.requestPasswordReset, { body: { email: address } }),
  })
  const keepsMail = useKeepsMail()
  if (request.isSuccess) return <NewPassword email={request.variables} />
  return (
    <EntranceForm
      lead={t.reset.lead}
      title={t.reset.title}
      action={keepsMail ? t.ui.continue : t.ui.sendCode}
      busy={request.isPending}
      error={request.error}
      focusFirst
      links={<BackLink />}
      onSubmit={(field) => request.mutate(field('email'))}
    >
      <Field autoComplete="email" label={t.ui.email} name="email" required type="email" />
    </EntranceForm>
  )
}

function NewPassword({ email }: { readonly email: string }) {
  const [, navigate] = useLocation()
  const delivery = useDelivery()
  const reset = useMutation({
    mutationFn: (body: { token: string; password: string }) => call(com.core.server.resetPassword, { body }),
    onSuccess: () => {
      toast(t.reset.done)
      navigate(entrances.signIn)
    },
  })
  return (
    <EntranceForm
      lead={t.codes.sentIfKnown[delivery](email)}
      title={t.reset.codeTitle}
      action={t.ui.setPassword}
      busy={reset.isPending}
      error={reset.error}
      focusFirst
      links={<BackLink />}
      onSubmit={(field) => reset.mutate({ token: field('code').trim(), password: field('newPassword') })}
    >
      <CodeField hint={<OutboxHint />} name="code" />
      <NewPasswordField username={email} />
    </EntranceForm>
  )
}

function BackLink() {
  return (
    <p>
      <Link href={entrances.signIn}>{t.reset.back}</Link>
    </p>
  )
}
