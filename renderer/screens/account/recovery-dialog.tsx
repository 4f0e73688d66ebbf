import { useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { errorName } from '../../api/errors.ts'
import { useProcedure } from '../../api/hooks.ts'
import { useSession } from '../../api/sessions.ts'
import { t } from '../../strings/en.ts'
import { ChoiceChips } from '../../ui/choice-chips.tsx'
import { Field, PasswordField, Username } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Notice } from '../../ui/states.tsx'
import { Switch } from '../../ui/switch.tsx'
import { toast } from '../../ui/toast.tsx'
import { canCreateKeys, createRecoveryKey, type RecoveryKey } from './recovery-key.ts'
import { RecoveryKit } from './recovery-kit.tsx'

/** Adds a recovery key: one that is created here and shown once, or one that its holder has. */
export function RecoveryDialog({ onClose }: { onClose(): void }) {
  const [kind, setKind] = useState<'create' | 'paste'>(canCreateKeys ? 'create' : 'paste')
  const [created, setCreated] = useState<RecoveryKey>()
  const [pasted, setPasted] = useState('')
  const [password, setPassword] = useState('')
  const [isKept, setKept] = useState(false)
  const { handle } = useSession()
  const add = useProcedure(com.core.identity.addRecoveryKey, [com.core.identity.listRotationKeys], {
    onSuccess: () => {
      toast(t.identity.keyAdded)
      onClose()
    },
  })
  const passwordField = (
    <>
      <Username value={handle} />
      <PasswordField
        error={isWrongPassword(add.error) ? t.identity.wrongPassword : undefined}
        label={t.identity.password}
        onChange={(event) => setPassword(event.target.value)}
        required
        value={password}
      />
    </>
  )
  const shared = {
    action: t.identity.addSubmit,
    busy: add.isPending,
    error: isWrongPassword(add.error) ? null : add.error,
    onClose,
  }
  if (created) {
    return (
      <FormDialog
        {...shared}
        disabled={!isKept}
        dismissible={false}
        onSubmit={() => add.mutate({ key: created.publicKey, password })}
        title={t.identity.kitTitle}
        wide
      >
        <p>{t.identity.kitIntro}</p>
        <RecoveryKit recoveryKey={created} />
        <Switch checked={isKept} label={t.identity.kept} onChange={setKept} />
        {passwordField}
      </FormDialog>
    )
  }
  const isCreating = kind === 'create'
  const choices = (
    <>
      <p>{t.identity.addText}</p>
      <ChoiceChips
        label={t.identity.kind}
        onChange={(next) => setKind(next)}
        options={[
          { value: 'create', label: t.identity.create },
          { value: 'paste', label: t.identity.paste },
        ]}
        value={kind}
      />
    </>
  )
  if (isCreating) {
    return (
      <FormDialog
        {...shared}
        action={t.identity.createSubmit}
        disabled={!canCreateKeys}
        onSubmit={() => void createRecoveryKey().then(setCreated)}
        title={t.identity.addTitle}
      >
        {choices}
        {canCreateKeys ? <p>{t.identity.createText}</p> : <Notice>{t.identity.createInsecure}</Notice>}
      </FormDialog>
    )
  }
  const isKey = /^did:key:z[1-9A-HJ-NP-Za-km-z]+$/.test(pasted)
  return (
    <FormDialog
      {...shared}
      onSubmit={() => isKey && add.mutate({ key: pasted, password })}
      title={t.identity.addTitle}
    >
      {choices}
      <Field
        autoCapitalize="none"
        autoComplete="off"
        error={pasted !== '' && !isKey ? t.identity.publicKeyWrong : undefined}
        hint={t.identity.publicKeyHint}
        label={t.identity.publicKey}
        mono
        onChange={(event) => setPasted(event.target.value.trim())}
        required
        spellCheck={false}
        value={pasted}
      />
      {passwordField}
    </FormDialog>
  )
}

function isWrongPassword(error: unknown): boolean {
  return errorName(error) === 'AuthenticationRequired'
}
