import { useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { errorName } from '../../api/call-errors.ts'
import type { Body } from '../../api/client.ts'
import { PasswordDialog } from '../../parts/account/password-dialog.tsx'
import { proofOf } from '../../parts/account/proof-fields.tsx'
import { useDialogAction } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { CopyBlock } from '../../ui/copy.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { QrCode } from '../../ui/qr-code.tsx'

type Started = Body<typeof com.core.factor.startTotp.main>

interface AppDialogProps {
  onCodes(codes: readonly string[] | undefined): void
  onClose(): void
}

/** Adds an authenticator app: asks for the password, shows the secret of the app, asks for a code that it makes. */
export function AppDialog(props: AppDialogProps) {
  const [started, setStarted] = useState<Started>()
  const start = useDialogAction(com.core.factor.startTotp, {
    input: (field) => proofOf(field),
    done: (_, output) => {
      setStarted(output)
      return undefined
    },
    onClose: props.onClose,
  })
  if (started) return <ConfirmDialog {...props} started={started} />
  return <PasswordDialog {...start} action={t.ui.continue} title={t.factors.addApp} />
}

interface ConfirmDialogProps extends AppDialogProps {
  readonly started: Started
}

function ConfirmDialog({ started: { id, secret, uri }, onCodes, onClose }: ConfirmDialogProps) {
  const confirm = useDialogAction(com.core.factor.confirmTotp, {
    invalidates: [com.core.factor.listFactors, com.core.server.listSecurityChanges],
    input: (field) => ({ id, name: field('name'), code: field('code') }),
    done: ({ name }) => t.factors.addedToast(name.trim()),
    onDone: ({ recoveryCodes }) => onCodes(recoveryCodes),
    onClose,
  })
  return (
    <FormDialog
      {...confirm}
      error={errorName(confirm.error) === 'InvalidToken' ? t.factors.wrongAppCode : confirm.error}
      action={t.ui.turnOn}
      title={t.factors.addApp}
    >
      <p>{t.factors.appScan}</p>
      <QrCode label={t.factors.appQr} text={uri} />
      <CopyBlock label={t.factors.appSecret} text={secret} wrap />
      <Field
        autoComplete="off"
        defaultValue={t.factors.phone}
        label={t.ui.name}
        maxLength={64}
        name="name"
        required
      />
      <Field
        autoComplete="one-time-code"
        inputMode="numeric"
        label={t.factors.appCode}
        mono
        name="code"
        required
      />
    </FormDialog>
  )
}
