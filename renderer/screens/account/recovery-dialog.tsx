import { type ReactNode, useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { PasswordDialog } from '../../parts/account/password-dialog.tsx'
import { proofOf } from '../../parts/account/proof-fields.tsx'
import { type DialogAction, useDialogAction } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { Choices } from '../../ui/choices.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import type { Fields } from '../../ui/form.tsx'
import { Notice } from '../../ui/states.tsx'
import { Switch } from '../../ui/switch.tsx'
import { canCreateKeys, createRecoveryKey, type RecoveryKey } from './recovery-key.ts'
import { RecoveryKit } from './recovery-kit.tsx'

interface DialogProps {
  /** Whether a directory has the identity. */
  readonly published: boolean
  onClose(): void
}

/** Adds a recovery key: a new one, shown once, or an existing public key. */
export function RecoveryDialog({ published, onClose }: DialogProps) {
  const [kind, setKind] = useState<'create' | 'paste'>(canCreateKeys ? 'create' : 'paste')
  const [created, setCreated] = useState<RecoveryKey>()
  if (created) return <KitDialog created={created} onClose={onClose} published={published} />
  const choice = (
    <>
      <p>{t.identity.addText}</p>
      {!published && <Notice>{t.kit.unpublished}</Notice>}
      <Choices
        label={t.identity.kind}
        onChange={setKind}
        options={{ create: t.identity.create, paste: t.identity.paste }}
        value={kind}
      />
    </>
  )
  if (kind === 'paste') return <PasteDialog choice={choice} onClose={onClose} />
  return (
    <FormDialog
      action={t.identity.createSubmit}
      busy={false}
      disabled={!canCreateKeys}
      error={null}
      onClose={onClose}
      onSubmit={() => void createRecoveryKey().then(setCreated)}
      title={t.identity.addTitle}
    >
      {choice}
      {canCreateKeys ? <p>{t.identity.createText}</p> : <Notice>{t.identity.createInsecure}</Notice>}
    </FormDialog>
  )
}

/** Shows the kit of a new key, then adds the key. */
function KitDialog({ created, published, onClose }: DialogProps & { readonly created: RecoveryKey }) {
  const [isKept, setKept] = useState(false)
  const add = useAddKey(() => created.publicKey, onClose)
  return (
    <PasswordDialog
      action={t.identity.addSubmit}
      {...add}
      disabled={!isKept}
      dismissible={false}
      title={t.identity.kitTitle}
      wide
    >
      <p>{t.identity.kitIntro}</p>
      <RecoveryKit published={published} recoveryKey={created} />
      <Switch checked={isKept} label={t.identity.kept} onChange={setKept} />
    </PasswordDialog>
  )
}

/** Adds a public key. */
function PasteDialog({ choice, onClose }: Pick<DialogProps, 'onClose'> & { readonly choice: ReactNode }) {
  const [key, setKey] = useState('')
  const add = useAddKey((field) => field('key').trim(), onClose)
  const isKey = /^did:key:z[1-9A-HJ-NP-Za-km-z]+$/.test(key)
  return (
    <PasswordDialog
      action={t.identity.addSubmit}
      {...add}
      onSubmit={(field) => isKey && add.onSubmit(field)}
      title={t.identity.addTitle}
    >
      {choice}
      <Field
        error={key !== '' && !isKey ? t.identity.publicKeyWrong : undefined}
        hint={t.identity.publicKeyHint}
        label={t.identity.publicKey}
        mono
        name="key"
        onChange={(event) => setKey(event.target.value.trim())}
        required
        value={key}
      />
    </PasswordDialog>
  )
}

function useAddKey(keyOf: (field: Fields) => string, onClose: () => void): DialogAction {
  return useDialogAction(com.core.identity.addRecoveryKey, {
    invalidates: [com.core.identity.listRotationKeys, com.core.server.listSecurityChanges],
    input: (field) => ({ key: keyOf(field), ...proofOf(field) }),
    done: t.identity.keyAdded,
    onClose,
  })
}
