import { useState } from 'react'
import type { MailSettings, SettingsView } from '../../../electron/bridge.ts'
import { callDesktop, useDesktopCall } from '../../api/desktop.ts'
import { SaveForm } from '../../parts/save-form.tsx'
import { SendTestDialog } from '../../parts/send-test-dialog.tsx'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { Field, PasswordField, SelectField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { Switch } from '../../ui/switch.tsx'
import { toast } from '../../ui/toast.tsx'
import styles from './server.module.css'

const securities = ['tls', 'starttls', 'none'] as const

type TextSetting = Exclude<keyof MailSettings, 'security'>

export function MailSection({ view }: { readonly view: SettingsView }) {
  const [draft, setDraft] = useState<Partial<MailSettings>>({})
  const [password, setPassword] = useState('')
  const [isRemoving, setRemoving] = useState(false)
  const [isTesting, setTesting] = useState(false)
  const mail = { ...view.mail, ...draft }
  /** Undefined keeps the saved password; an empty text removes it. */
  const newPassword = password === '' && !isRemoving ? undefined : password
  const discard = () => {
    setDraft({})
    setPassword('')
    setRemoving(false)
  }
  const save = useDesktopCall('mail.change', ['settings.view'], {
    onSuccess: (problems) => {
      if (Object.keys(problems).length > 0) return
      discard()
      toast(t.server.saved)
    },
  })
  const names = Object.keys(draft) as (keyof MailSettings)[]
  return (
    <Section lead={t.server.mailLead} title={t.server.mail}>
      <SaveForm
        busy={save.isPending}
        error={save.error}
        isChanged={newPassword !== undefined || names.some((name) => draft[name] !== view.mail[name])}
        more={mail.host !== '' && <Button onClick={() => setTesting(true)}>{t.server.mailTest}</Button>}
        onDiscard={() => {
          discard()
          save.reset()
        }}
        onSave={() => save.mutate([mail, newPassword])}
        problems={save.data}
      >
        <MailFields
          hasMailPassword={view.hasMailPassword}
          isRemoving={isRemoving}
          mail={mail}
          onChange={(changes) => setDraft({ ...draft, ...changes })}
          onPassword={setPassword}
          onRemoving={setRemoving}
          password={password}
          problems={save.data}
        />
      </SaveForm>
      {isTesting && (
        <SendTestDialog
          lead={t.server.mailTestLead}
          onClose={() => setTesting(false)}
          done={t.server.mailTested}
          send={(to) => callDesktop('mail.test', mail, newPassword, to)}
          title={t.server.mailTestTitle}
        />
      )}
    </Section>
  )
}

interface MailFieldsProps {
  readonly mail: MailSettings
  readonly password: string
  /** Whether a password is saved: an empty field then keeps it. */
  readonly hasMailPassword: boolean
  /** Whether saving removes the saved password. */
  readonly isRemoving: boolean
  readonly problems: Partial<Record<keyof MailSettings, string>> | undefined
  onChange(changes: Partial<MailSettings>): void
  onPassword(password: string): void
  onRemoving(isRemoving: boolean): void
}

function MailFields(props: MailFieldsProps) {
  const { mail, password, hasMailPassword, isRemoving, problems, onChange, onPassword, onRemoving } = props
  const field = (name: TextSetting) => ({
    autoCapitalize: 'none',
    autoComplete: 'off',
    error: problems?.[name],
    label: t.server.mailLabels[name],
    onChange: (event: { readonly target: { readonly value: string } }) =>
      onChange({ [name]: event.target.value }),
    spellCheck: false,
    unmarked: true,
    value: mail[name],
  })
  return (
    <>
      <div className={styles.pair}>
        <Field {...field('host')} hint={t.server.mailHints.host} />
        <Field {...field('port')} inputMode="numeric" />
      </div>
      <SelectField
        hint={t.server.mailHints.port}
        label={t.server.mailLabels.security}
        onChange={(security) => onChange({ security: security as MailSettings['security'] })}
        options={securities.map((value) => ({ value, label: t.server.mailSecurities[value] }))}
        value={mail.security}
      />
      <div className={styles.even}>
        <Field {...field('user')} hint={t.server.mailHints.user} />
        <PasswordField
          autoComplete="off"
          disabled={isRemoving}
          hint={hasMailPassword && !isRemoving && t.server.mailPasswordKept}
          label={t.server.mailPassword}
          onChange={(event) => onPassword(event.target.value)}
          unmarked
          value={password}
        />
      </div>
      {hasMailPassword && password === '' && (
        <Switch checked={isRemoving} label={t.server.mailPasswordRemove} onChange={onRemoving} />
      )}
      <Field {...field('from')} hint={t.server.mailHints.from} />
    </>
  )
}
