import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { errorName, isCodeMailed, isFactorWanted } from '../../api/call-errors.ts'
import { useDelivery } from '../../api/codes.ts'
import { useDesktopCall } from '../../api/desktop.ts'
import { endpoint } from '../../api/endpoint.ts'
import { provePasskey } from '../../api/passkeys.ts'
import { desktop } from '../../bridge.ts'
import { PasskeyButton } from '../../parts/account/passkey-button.tsx'
import { OutboxHint } from '../../parts/mail/outbox-hint.tsx'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { CopyBlock } from '../../ui/copy.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import styles from './entrance.module.css'
import { EntranceForm } from './entrance-form.tsx'

interface SecondStepProps {
  readonly attempt: { readonly error: Error | null; readonly isPending: boolean }
  /** Handle, DID or email address that was entered. */
  readonly identifier: string
  /** Signs in with a code, or without one after the second steps were removed. */
  onSubmit(code?: string): void
  /** Requests another code by email. */
  onResend(): void
  onBack(): void
}

/** The second step of sign-in to this server: a code of any kind, or a passkey. */
export function SecondStep({ attempt, identifier, onSubmit, onResend, onBack }: SecondStepProps) {
  const prove = useMutation({ mutationFn: provePasskey, onSuccess: onSubmit })
  const [isMailed] = useState(() => isCodeMailed(attempt.error))
  const delivery = useDelivery()
  const [isRemoving, setRemoving] = useState(false)
  const refused = isFactorWanted(attempt.error) ? null : attempt.error
  const isWrong = errorName(refused) === 'InvalidToken' && !isMailed
  const error = isWrong ? t.factors.wrongStep : refused
  return (
    <>
      <EntranceForm
        lead={isMailed ? t.codes.step[delivery] : t.factors.step}
        title={t.factors.title}
        action={t.signIn.submit}
        busy={attempt.isPending}
        error={prove.error ? t.factors.passkeyFailed : error}
        focusFirst
        links={
          <>
            <div className={styles.between}>
              <Button variant="quiet" onClick={onBack} size="s">
                {t.reset.back}
              </Button>
              {isMailed && (
                <Button busy={attempt.isPending} variant="quiet" onClick={onResend} size="s">
                  {t.codes.again[delivery]}
                </Button>
              )}
              {desktop && (
                <Button variant="quiet" onClick={() => setRemoving(true)} size="s">
                  {t.factors.lost}
                </Button>
              )}
            </div>
            {!desktop && <LostElsewhere />}
          </>
        }
        onSubmit={(field) => onSubmit(field('code'))}
      >
        <Field
          exact
          autoComplete="one-time-code"
          hint={isMailed && <OutboxHint />}
          label={t.ui.code}
          mono
          name="code"
          required
        />
        <PasskeyButton busy={prove.isPending} onUse={() => prove.mutate()} />
      </EntranceForm>
      {isRemoving && (
        <RemovalDialog
          identifier={identifier}
          onClose={() => setRemoving(false)}
          onRemoved={() => onSubmit()}
        />
      )}
    </>
  )
}

/** What a person without their second step does in a browser. */
function LostElsewhere() {
  const input = `--json '{"did":"did:plc:…"}'`
  return (
    <>
      <p className={styles.lead}>{t.factors.lostElsewhere}</p>
      <details>
        <summary>{t.factors.lostOwner}</summary>
        <p>{t.factors.lostCommand}</p>
        <CopyBlock
          label={t.ui.copyCommand}
          text={`curl -u admin ${endpoint}/xrpc/com.core.admin.removeSecondFactors ${input}`}
          wrap
        />
      </details>
    </>
  )
}

interface RemovalDialogProps {
  readonly identifier: string
  onRemoved(): void
  onClose(): void
}

/** A person at the computer of the server can read its data anyway. */
function RemovalDialog({ identifier, onRemoved, onClose }: RemovalDialogProps) {
  const remove = useDesktopCall('factors.remove', [], {
    onSuccess: () => {
      onClose()
      onRemoved()
    },
  })
  return (
    <ConfirmDialog
      action={t.factors.lostAction}
      busy={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onSubmit={() => remove.mutate([identifier])}
      title={t.factors.lostTitle}
    >
      {t.factors.lostText(identifier)}
    </ConfirmDialog>
  )
}
