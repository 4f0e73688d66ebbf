import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import type { com } from '../../../lexicons/generated/index.ts'
import type { Body } from '../../api/client.ts'
import { errorName, explain } from '../../api/errors.ts'
import { switchTo } from '../../api/sessions.ts'
import { type NewAccount, signUp } from '../../api/sign-in.ts'
import { desktop } from '../../bridge.ts'
import { entrances } from '../../entrances.ts'
import { nameIn, useHandleCheck } from '../../parts/handle-check.ts'
import { HandleField } from '../../parts/handle-field.tsx'
import { NewPasswordField } from '../../parts/new-password-field.tsx'
import { t } from '../../strings/en.ts'
import { Field } from '../../ui/field.tsx'
import type { Fields } from '../../ui/form.tsx'
import { toast } from '../../ui/toast.tsx'
import { useAdminPassword } from './admin-password.tsx'
import styles from './entrance.module.css'
import { EntranceForm } from './entrance-form.tsx'
import { FirstRunChoices } from './first-run-choices.tsx'
import { Heading, useLeaveEntrance } from './heading.tsx'
import { OtherWays } from './other-ways.tsx'
import { showReadyDialog } from './ready.tsx'

interface SignUpProps {
  readonly isFirst: boolean
  readonly server: Body<typeof com.core.server.describeServer.main>
}

/** The field that an error concerns. Other errors are shown below the form. */
const fieldOfError: Partial<Record<string, 'handle' | 'password' | 'inviteCode'>> = {
  InvalidHandle: 'handle',
  HandleNotAvailable: 'handle',
  UnsupportedDomain: 'handle',
  InvalidPassword: 'password',
  InvalidInviteCode: 'inviteCode',
}

/** Creates an account: handle, password, optional email address. */
export function SignUp({ isFirst, server }: SignUpProps) {
  const [typed, setTyped] = useState('')
  const [domain, setDomain] = useState(server.availableUserDomains[0] ?? '')
  const name = nameIn(typed, domain)
  const handle = name + domain
  const check = useHandleCheck(name, handle)
  const { mutate, isPending, error } = useSignUp(isFirst)
  const adminPassword = useAdminPassword(error)
  const asksInvite = server.inviteCodeRequired === true && !adminPassword.isAsked
  const named = fieldOfError[errorName(error) ?? '']
  const errorField = named === 'inviteCode' && !asksInvite ? undefined : named
  const errorOf = (field: typeof errorField) => (field === errorField ? explain(error) : undefined)
  const submit = (field: Fields) => {
    if (check.problem) return
    const account = {
      handle,
      password: field('newPassword'),
      email: field('email').trim() || undefined,
      inviteCode: field('inviteCode').trim() || undefined,
    }
    mutate({ account, adminPassword: field('adminPassword') || undefined })
  }
  return (
    <>
      <Heading title={isFirst ? t.welcome.firstTitle : t.welcome.createTitle}>
        {isFirst ? t.welcome.firstLead : t.welcome.createLead}
      </Heading>
      <EntranceForm
        action={t.signUp.submit}
        busy={isPending}
        error={errorField || adminPassword.explains ? null : error}
        links={
          <>
            {!isFirst && (
              <p>
                <Link href={entrances.signIn}>{t.welcome.toSignIn}</Link>
              </p>
            )}
            <Legal links={server.links} />
          </>
        }
        onSubmit={submit}
      >
        {asksInvite && (
          <Field
            autoComplete="off"
            error={errorOf('inviteCode')}
            hint={t.signUp.inviteHint}
            label={t.signUp.invite}
            mono
            name="inviteCode"
            required
            spellCheck={false}
          />
        )}
        <HandleField
          check={check}
          domain={domain}
          domains={server.availableUserDomains}
          handle={handle}
          onDomain={setDomain}
          onType={setTyped}
          serverError={errorOf('handle')}
          typed={typed}
        />
        <NewPasswordField error={errorOf('password')} label={t.signUp.password} username={handle} />
        <Field
          autoComplete="email"
          hint={t.signUp.emailHint}
          label={t.signUp.email}
          name="email"
          type="email"
        />
        {server.unclaimed === undefined && adminPassword.field}
        {desktop && isFirst && <FirstRunChoices />}
      </EntranceForm>
      {isFirst && <OtherWays />}
    </>
  )
}

function useSignUp(isFirst: boolean) {
  const leaveEntrance = useLeaveEntrance()
  return useMutation({
    mutationFn: ({ account, adminPassword }: { account: NewAccount; adminPassword: string | undefined }) =>
      signUp(account, adminPassword),
    onSuccess: ({ did, handle }, { adminPassword }) => {
      switchTo(did)
      toast(t.signUp.done(handle))
      if (isFirst || adminPassword !== undefined) showReadyDialog()
      leaveEntrance()
    },
  })
}

function Legal({ links }: Pick<SignUpProps['server'], 'links'>) {
  if (!links?.privacyPolicy && !links?.termsOfService) return null
  return (
    <p className={styles.legal}>
      {links.privacyPolicy && <a href={links.privacyPolicy}>{t.signUp.privacy}</a>}
      {links.termsOfService && <a href={links.termsOfService}>{t.signUp.terms}</a>}
    </p>
  )
}
