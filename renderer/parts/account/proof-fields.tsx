import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { errorName, isCodeMailed, isFactorWanted } from '../../api/call-errors.ts'
import { type Proof, provePasskey } from '../../api/passkeys.ts'
import { useSession } from '../../api/sessions.ts'
import { t } from '../../strings/en.ts'
import { Field, PasswordField, Username } from '../../ui/field.tsx'
import type { Fields } from '../../ui/form.tsx'
import { FormError } from '../../ui/states.tsx'
import { OutboxHint } from '../mail/outbox-hint.tsx'
import { PasskeyButton } from './passkey-button.tsx'

/** The fields `password` and, once the server has asked for it, `factor`. @param error of the submission */
export function ProofFields({ error }: { readonly error: Error | null }) {
  /** The error that asked for the second step. */
  const [asked, setAsked] = useState<Error>()
  if (error !== null && isFactorWanted(error) && asked === undefined) setAsked(error)
  const isWrong = isWrongCode(error)
  return (
    <>
      <OwnPasswordField error={error} />
      {asked && <FactorField isMailed={isCodeMailed(asked)} isWrong={isWrong} />}
      {!asked && isWrong && <FormError error={error} />}
    </>
  )
}

/** Reads the fields of {@link ProofFields}. The second one is empty until the server has asked for it. */
export function proofOf(field: Fields): Proof {
  const authFactorToken = field('factor').trim()
  return { password: field('password'), ...(authFactorToken !== '' && { authFactorToken }) }
}

/** The error of a submission that is not shown by {@link ProofFields}. */
export function proofError(error: Error | null): Error | null {
  return isWrongPassword(error) || isFactorWanted(error) || isWrongCode(error) ? null : error
}

const isWrongCode = (error: Error | null) => errorName(error) === 'InvalidToken'

/** A code of any kind, or a passkey, whose proof is a code as well. */
function FactorField({ isMailed, isWrong }: { readonly isMailed: boolean; readonly isWrong: boolean }) {
  const [code, setCode] = useState('')
  const prove = useMutation({ mutationFn: provePasskey, onSuccess: setCode })
  const wrong = isWrong ? t.factors.wrongStep : undefined
  return (
    <>
      <Field
        autoComplete="one-time-code"
        autoFocus
        error={prove.error ? t.factors.passkeyFailed : wrong}
        hint={isMailed ? <OutboxHint /> : t.factors.step}
        label={t.factors.title}
        mono
        name="factor"
        onChange={(event) => setCode(event.target.value)}
        required
        value={code}
      />
      <PasskeyButton busy={prove.isPending} onUse={() => prove.mutate()} />
    </>
  )
}

/** The field `password` for the main password, which confirms a change of the identity. @param error of the submission */
export function OwnPasswordField({ error }: { readonly error: Error | null }) {
  const { handle } = useSession()
  return (
    <>
      <Username value={handle} />
      <PasswordField
        error={isWrongPassword(error) ? t.identity.wrongPassword : undefined}
        label={t.identity.password}
        name="password"
        required
      />
    </>
  )
}

/** Whether the field shows an error. */
export function isWrongPassword(error: Error | null): boolean {
  return errorName(error) === 'AuthenticationRequired'
}
