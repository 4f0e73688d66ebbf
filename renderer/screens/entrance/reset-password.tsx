import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { com } from '../../../lexicons/generated/index.ts'
import { call } from '../../api/client.ts'
import { entrances } from '../../entrances.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { CodeField, Field } from '../../ui/field.tsx'
import { Stack } from '../../ui/page.tsx'
import { FormError } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { NewPasswordField } from '../new-password-field.tsx'
import { OutboxHint } from '../outbox/outbox-hint.tsx'
import styles from './entrance.module.css'
import { Heading, useFocusFirst } from './heading.tsx'

/** Sends a code by email, then sets a new password. */
export function ResetPassword() {
  const [email, setEmail] = useState('')
  const request = useMutation({
    mutationFn: (address: string) => call(com.core.server.requestPasswordReset, { body: { email: address } }),
  })
  const form = useFocusFirst()
  if (request.isSuccess) return <NewPassword email={email} />
  const submit = (event: FormEvent) => {
    event.preventDefault()
    request.mutate(email)
  }
  return (
    <>
      <Heading title={t.reset.title}>{t.reset.lead}</Heading>
      <form onSubmit={submit} ref={form}>
        <Stack>
          <Field
            autoComplete="email"
            label={t.reset.email}
            onChange={(event) => setEmail(event.target.value)}
            required
            type="email"
            value={email}
          />
          <FormError error={request.error} />
          <Button busy={request.isPending} className={styles.submit} variant="primary" type="submit">
            {t.reset.send}
          </Button>
          <p>
            <Link href={entrances.signIn}>{t.reset.back}</Link>
          </p>
        </Stack>
      </form>
    </>
  )
}

function NewPassword({ email }: { readonly email: string }) {
  const [, navigate] = useLocation()
  const [token, setToken] = useState('')
  const [password, setPassword] = useState('')
  const form = useFocusFirst()
  const reset = useMutation({
    mutationFn: (body: { token: string; password: string }) => call(com.core.server.resetPassword, { body }),
    onSuccess: () => {
      toast(t.reset.done)
      navigate(entrances.signIn)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    reset.mutate({ token: token.trim(), password })
  }
  return (
    <>
      <Heading title={t.reset.codeTitle}>{t.reset.codeLead(email)}</Heading>
      <form onSubmit={submit} ref={form}>
        <Stack>
          <CodeField hint={<OutboxHint />} onChange={(event) => setToken(event.target.value)} value={token} />
          <NewPasswordField onChange={setPassword} username={email} value={password} />
          <FormError error={reset.error} />
          <Button busy={reset.isPending} className={styles.submit} variant="primary" type="submit">
            {t.reset.submit}
          </Button>
          <p>
            <Link href={entrances.signIn}>{t.reset.back}</Link>
          </p>
        </Stack>
      </form>
    </>
  )
}
