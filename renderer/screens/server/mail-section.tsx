import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { MailServer, MailServerProblems } from '../../../electron/ground/bridge.ts'
import { type MailView, useMailCalls, useMailServer } from '../../api/mail-server.ts'
import type { Proof } from '../../api/passkeys.ts'
import { desktop } from '../../bridge.ts'
import { SendTestDialog } from '../../parts/mail/send-test-dialog.tsx'
import { SaveForm } from '../../parts/settings/save-form.tsx'
import { SaveProofDialog } from '../../parts/settings/save-proof-dialog.tsx'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { Field, PasswordField, SelectField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { Loaded, Notice } from '../../ui/states.tsx'
import { Switch } from '../../ui/switch.tsx'
import { toast } from '../../ui/toast.tsx'
import styles from './server.module.css'

const needsProof = desktop === undefined

type TextSetting = Exclude<keyof MailServer, 'security'>

/** The mail settings with changes that are not saved yet. */
function useMailDraft({ mail: saved }: MailView) {
  const [changes, setChanges] = useState<Partial<MailServer>>({})
  const [password, setPassword] = useState('')
  const [isRemoving, setRemoving] = useState(false)
  const names = Object.keys(changes) as (keyof MailServer)[]
  /** Undefined keeps the saved password; an empty text removes it. */
  const newPassword = password === '' && !isRemoving ? undefined : password
  return {
    mail: { ...saved, ...changes },
    password,
    newPassword,
    /** Whether saving removes the saved password. */
    isRemoving,
    isChanged: newPassword !== undefined || names.some((name) => changes[name] !== saved[name]),
    change: (more: Partial<MailServer>) => setChanges({ ...changes, ...more }),
    setPassword,
    setRemoving,
    discard() {
      setChanges({})
      setPassword('')
      setRemoving(false)
    },
  }
}

/** The mail server. In a browser, a change and a test take the main password. */
export function MailSection() {
  const query = useMailServer()
  return (
    <Section lead={t.server.mailLead} title={t.server.mail}>
      <Loaded query={query} rows={4}>
        {(view) => (view.fixedBy === undefined ? <MailForm view={view} /> : <FixedMail view={view} />)}
      </Loaded>
    </Section>
  )
}

function FixedMail({ view: { mail, fixedBy = '' } }: { readonly view: MailView }) {
  return (
    <Notice>
      {mail.host !== '' && t.server.mailFixed(mail.host)} {t.server.fixedBy(fixedBy)}
    </Notice>
  )
}

function MailForm({ view }: { readonly view: MailView }) {
  const [open, setOpen] = useState<'test' | 'proof'>()
  const close = () => setOpen(undefined)
  const draft = useMailDraft(view)
  const calls = useMailCalls()
  const { mail, newPassword, isChanged, discard } = draft
  const input = { mail, password: newPassword }
  const save = useMutation({
    mutationFn: (proof: Proof | undefined) => calls.save(input, proof),
    onSuccess: (problems) => {
      close()
      if (Object.keys(problems).length > 0) return
      discard()
      toast(t.server.saved)
    },
  })
  return (
    <>
      <SaveForm
        busy={save.isPending}
        error={open === 'proof' ? null : save.error}
        isChanged={isChanged}
        more={mail.host !== '' && <Button onClick={() => setOpen('test')}>{t.server.mailTest}</Button>}
        onDiscard={() => {
          discard()
          save.reset()
        }}
        onSave={() => (needsProof ? setOpen('proof') : save.mutate(undefined))}
        problems={save.data}
        restarts
      >
        <MailFields draft={draft} hasMailPassword={view.hasPassword} problems={save.data} />
      </SaveForm>
      {open === 'proof' && <SaveProofDialog onClose={close} save={save} text={t.server.mailProof} />}
      {open === 'test' && (
        <SendTestDialog
          done={t.server.mailTested}
          lead={t.server.mailTestLead}
          needsProof={needsProof}
          onClose={close}
          send={(to, proof) => calls.test(input, to, proof)}
          title={t.server.mailTestTitle}
        />
      )}
    </>
  )
}

interface MailFieldsProps {
  readonly draft: ReturnType<typeof useMailDraft>
  /** Whether a password is saved: an empty field then keeps it. */
  readonly hasMailPassword: boolean
  readonly problems: MailServerProblems | undefined
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
          error={problems?.mailPassword}
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
