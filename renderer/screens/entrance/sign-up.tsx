import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link } from 'wouter'
import type { com } from '../../../lexicons/generated/index.ts'
import type { Body } from '../../api/client.ts'
import { errorName, explain } from '../../api/errors.ts'
import { switchTo } from '../../api/sessions.ts'
import { signUp } from '../../api/sign-in.ts'
import { desktop } from '../../bridge.ts'
import { entrances } from '../../entrances.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Stack } from '../../ui/page.tsx'
import { FormError } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { NewPasswordField } from '../new-password-field.tsx'
import styles from './entrance.module.css'
import { FirstRunChoices } from './first-run-choices.tsx'
import { useHandleCheck } from './handle-check.ts'
import { HandleField } from './handle-field.tsx'
import { Heading, useLeaveEntrance } from './heading.tsx'
import { showReadyDialog } from './ready.tsx'

interface SignUpProps {
  readonly isFirst: boolean
  readonly server: Body<typeof com.core.server.describeServer.main>
}

const handleErrors = ['InvalidHandle', 'HandleNotAvailable', 'UnsupportedDomain']

/** Creates an account: handle, password, optional email address. */
export function SignUp({ isFirst, server }: SignUpProps) {
  const leaveEntrance = useLeaveEntrance()
  const [typed, setTyped] = useState('')
  const [domain, setDomain] = useState(server.availableUserDomains[0] ?? '')
  const [password, setPassword] = useState('')
  const [email, setEmail] = useState('')
  const [inviteCode, setInviteCode] = useState('')
  const name = nameIn(typed, domain)
  const handle = name + domain
  const check = useHandleCheck(name, handle)
  const signUpMutation = useMutation({
    mutationFn: signUp,
    onSuccess: ({ did, handle: made }) => {
      switchTo(did)
      toast(t.signUp.done(made))
      if (isFirst) showReadyDialog()
      leaveEntrance()
    },
  })
  const failure = errorName(signUpMutation.error) ?? ''
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (check.problem) return
    signUpMutation.mutate({
      handle,
      password,
      email: email.trim() || undefined,
      inviteCode: inviteCode.trim() || undefined,
    })
  }
  return (
    <>
      <Heading title={isFirst ? t.welcome.firstTitle : t.welcome.createTitle}>
        {isFirst ? t.welcome.firstLead : t.welcome.createLead}
      </Heading>
      <form onSubmit={submit}>
        <Stack>
          {server.inviteCodeRequired && (
            <Field
              autoComplete="off"
              error={failure === 'InvalidInviteCode' ? explain(signUpMutation.error) : undefined}
              hint={t.signUp.inviteHint}
              label={t.signUp.invite}
              mono
              onChange={(event) => setInviteCode(event.target.value)}
              required
              spellCheck={false}
              value={inviteCode}
            />
          )}
          <HandleField
            check={check}
            domain={domain}
            domains={server.availableUserDomains}
            handle={handle}
            onDomain={setDomain}
            onType={setTyped}
            serverError={handleErrors.includes(failure) ? explain(signUpMutation.error) : undefined}
            typed={typed}
          />
          <NewPasswordField
            error={failure === 'InvalidPassword' ? explain(signUpMutation.error) : undefined}
            label={t.signUp.password}
            onChange={setPassword}
            username={handle}
            value={password}
          />
          <Field
            autoComplete="email"
            hint={t.signUp.emailHint}
            label={t.signUp.email}
            onChange={(event) => setEmail(event.target.value)}
            type="email"
            value={email}
          />
          {desktop && isFirst && <FirstRunChoices />}
          <FormError
            error={
              [...handleErrors, 'InvalidPassword', 'InvalidInviteCode'].includes(failure)
                ? null
                : signUpMutation.error
            }
          />
          <Button busy={signUpMutation.isPending} className={styles.submit} variant="primary" type="submit">
            {t.signUp.submit}
          </Button>
          {!isFirst && (
            <p>
              <Link href={entrances.signIn}>{t.welcome.toSignIn}</Link>
            </p>
          )}
          <Legal links={server.links} />
        </Stack>
      </form>
    </>
  )
}

/** The name part of the input, which may be a full handle with a leading @. */
function nameIn(typed: string, domain: string): string {
  const text = typed.trim().toLowerCase().replace(/^@/, '')
  return domain !== '' && text.endsWith(domain) ? text.slice(0, -domain.length) : text
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
