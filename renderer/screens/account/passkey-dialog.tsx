import { com } from '../../../lexicons/generated/index.ts'
import { addPasskey } from '../../api/passkeys.ts'
import { ProofFields, proofError, proofOf } from '../../parts/account/proof-fields.tsx'
import { useDialogWork } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'

interface PasskeyDialogProps {
  onCodes(codes: readonly string[] | undefined): void
  onClose(): void
}

export function PasskeyDialog({ onCodes, onClose }: PasskeyDialogProps) {
  const add = useDialogWork({
    run: (field, did) => addPasskey(did, field('name'), proofOf(field)),
    done: (field) => t.factors.addedToast(field('name').trim()),
    onDone: onCodes,
    invalidates: [com.core.factor.listFactors, com.core.server.listSecurityChanges],
    onClose,
  })
  return (
    <FormDialog {...add} action={t.ui.continue} error={errorOf(add.error)} title={t.factors.addPasskey}>
      <p>{t.factors.passkeyText}</p>
      <Field
        autoComplete="off"
        defaultValue={t.factors.thisDevice}
        label={t.ui.name}
        maxLength={64}
        name="name"
        required
      />
      <ProofFields error={add.error} />
    </FormDialog>
  )
}

/** The error above the fields. */
function errorOf(error: Error | null): Error | string | null {
  return isOfBrowser(error) ? t.factors.passkeyFailed : proofError(error)
}

/** A person who cancels, and a device that refuses, look alike on purpose (WebAuthn Level 3, §14.5.1). */
function isOfBrowser(error: Error | null): boolean {
  return error !== null && ['WebAuthnError', 'NotAllowedError', 'AbortError'].includes(error.name)
}
