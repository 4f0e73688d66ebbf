import { useMutation } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { com } from '../../../lexicons/generated/index.ts'
import { errorName, explain } from '../../api/call-errors.ts'
import type { Body } from '../../api/client.ts'
import { useDesktopQuery } from '../../api/desktop.ts'
import { type NewAccount, signUp } from '../../api/sign-in.ts'
import { desktop } from '../../bridge.ts'
import { entrances } from '../../entrances.ts'
import { useHandleChoice } from '../../parts/account/handle-check.ts'
import { HandleField } from '../../parts/account/handle-field.tsx'
import { NewPasswordField } from '../../parts/account/new-password-field.tsx'
import { newAccount } from '../../parts/account/welcome.ts'
import { useSettingsChange } from '../../parts/settings/settings.ts'
import { t } from '../../strings/en.ts'
import { Field } from '../../ui/field.tsx'
import type { Fields } from '../../ui/form.tsx'
import { Switch } from '../../ui/switch.tsx'
import { useAdminPassword } from './admin-password.tsx'
import styles from './entrance.module.css'
import { EntranceForm, useEnter } from './entrance-form.tsx'
import { OtherWays } from './other-ways.tsx'

interface SignUpProps {
  /** The code of the link that was opened, if any. */
  readonly inviteCode: string | undefined
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

/** Creates an account: handle and password. Home asks for the rest. */
export function SignUp({ inviteCode, isFirst, server }: SignUpProps) {
  const choice = useHandleChoice(server.availableUserDomains)
  const { handle, check } = choice
  const { mutate, isPending, error } = useSignUp()
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
      inviteCode: field('inviteCode').trim() || undefined,
    }
    mutate({ account, adminPassword: field('adminPassword') || undefined })
  }
  return (
    <>
      <EntranceForm
        lead={isFirst ? t.welcome.firstLead : t.welcome.createLead}
        title={isFirst ? t.welcome.firstTitle : t.welcome.createTitle}
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
            defaultValue={inviteCode}
            error={errorOf('inviteCode')}
            hint={inviteCode === undefined && t.signUp.inviteHint}
            label={t.ui.inviteCode}
            mono
            name="inviteCode"
            required
          />
        )}
        <HandleField choice={choice} serverError={errorOf('handle')} />
        <NewPasswordField error={errorOf('password')} label={t.ui.password} username={handle} />
        {server.unclaimed === undefined && adminPassword.field}
        {desktop && isFirst && <FirstRunChoices />}
      </EntranceForm>
      {isFirst && <OtherWays />}
    </>
  )
}

interface NewSignUp {
  readonly account: NewAccount
  readonly adminPassword: string | undefined
}

function useSignUp() {
  const enter = useEnter()
  return useMutation({
    mutationFn: ({ account, adminPassword }: NewSignUp) => signUp(account, adminPassword),
    onSuccess: (session) => {
      newAccount.set(session.did)
      enter(session)
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

/** Desktop options of the first sign-up: start at login, the data folder, and how long the server runs. */
function FirstRunChoices() {
  const { data: view } = useDesktopQuery('settings.view')
  const change = useSettingsChange()
  if (!view) return null
  const pending = change.isPending ? change.variables.startAtLogin : undefined
  return (
    <div className={styles.choices}>
      <Switch
        checked={pending ?? view.settings.startAtLogin}
        hint={t.firstRun.startAtLoginHint}
        label={t.firstRun.startAtLogin}
        onChange={(startAtLogin) => change.mutate({ startAtLogin })}
      />
      <p>
        {t.firstRun.dataFolder} <code>{view.dataFolder}</code>
      </p>
      <p>{view.hasTray && view.settings.closeToTray ? t.firstRun.tray : t.firstRun.noTray}</p>
    </div>
  )
}
