import { useState } from 'react'
import type { MailSettings, SettingsView } from '../../../electron/ground/bridge.ts'
import { callDesktop, useDesktopCall } from '../../api/desktop.ts'
import { SendTestDialog } from '../../parts/mail/send-test-dialog.tsx'
import { SaveForm } from '../../parts/settings/save-form.tsx'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { Field, PasswordField, SelectField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { Switch } from '../../ui/switch.tsx'
import { toast } from '../../ui/toast.tsx'
import styles from './server.module.css'

type TextSetting = Exclude<keyof MailSettings, 'security'>

/** The mail settings with changes that are not saved yet. */
function useMailDraft({ mail: saved }: SettingsView) {
  const [changes, setChanges] = useState<Partial<MailSettings>>({})
  const [password, setPassword] = useState('')
  const [isRemoving, setRemoving] = useState(false)
  const names = Object.keys(changes) as (keyof MailSettings)[]
  /** Undefined keeps the saved password; an empty text removes it. */
  const newPassword = password === '' && !isRemoving ? undefined : password
  return {
    mail: { ...saved, ...changes },
    password,
    newPassword,
    /** Whether saving removes the saved password. */
    isRemoving,
    isChanged: newPassword !== undefined || names.some((name) => changes[name] !== saved[name]),
    change: (more: Partial<MailSettings>) => setChanges({ ...changes, ...more }),
    setPassword,
    setRemoving,
    discard() {
      setChanges({})
      setPassword('')
      setRemoving(false)
    },
  }
}

export function MailSection({ view }: { readonly view: SettingsView }) {
  const [isTesting, setTesting] = useState(false)
  const draft = useMailDraft(view)
  const { mail, newPassword, isChanged, discard } = draft
  const save = useDesktopCall('mail.change', ['settings.view'], {
    onSuccess: (problems) => {
      if (Object.keys(problems).length > 0) return
      discard()
      toast(t.server.saved)
    },
  })
  return (
    <Section lead={t.server.mailLead} title={t.server.mail}>
      <SaveForm
        busy={save.isPending}
        error={save.error}
        isChanged={isChanged}
        more={mail.host !== '' && <Button onClick={() => setTesting(true)}>{t.server.mailTest}</Button>}
        onDiscard={() => {
          discard()
          save.reset()
        }}
        onSave={() => save.mutate([mail, newPassword])}
        problems={save.data}
      >
        <MailFields draft={draft} hasMailPassword={view.hasMailPassword} problems={save.data} />
      </SaveForm>
      {isTesting && (
        <SendTestDialog
          done={t.server.mailTested}
          lead={t.server.mailTestLead}
          onClose={() => setTesting(false)}
          send={(to) => callDesktop('mail.test', mail, newPassword, to)}
          title={t.server.mailTestTitle}
        />
      )}
    </Section>
  )
}

interface MailFieldsProps {
  readonly draft: ReturnType<typeof useMailDraft>
  /** Whether a password is saved: an empty field then keeps it. */
  readonly hasMailPassword: boolean
  readonly problems: Partial<Record<keyof MailSettings, string>> | undefined
}

function MailFields({ draft, hasMailPassword, problems }: MailFieldsProps) {
  const { mail, password, isRemoving, change, setPassword, setRemoving } = draft
  const field = (name: TextSetting) => ({
    exact: true,
    error: problems?.[name],
    label: t.server.mailLabels[name],
    onChange: (event: { readonly target: { readonly value: string } }) =>
      change({ [name]: event.target.value }),
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
        onChange={(security) => change({ security })}
        options={t.server.mailSecurities}
        value={mail.security}
      />
      <div className={styles.even}>
        <Field {...field('user')} hint={t.server.mailHints.user} />
        <PasswordField
          autoComplete="off"
          disabled={isRemoving}
          hint={hasMailPassword && !isRemoving && t.server.mailPasswordKept}
          label={t.server.mailPassword}
          onChange={(event) => setPassword(event.target.value)}
          unmarked
          value={password}
        />
      </div>
      {hasMailPassword && password === '' && (
        <Switch checked={isRemoving} label={t.server.mailPasswordRemove} onChange={setRemoving} />
      )}
      <Field {...field('from')} hint={t.server.mailHints.from} />
    </>
  )
}
