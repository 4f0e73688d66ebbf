import { com } from '../../../lexicons/generated/index.ts'
import { isFactorWanted } from '../../api/call-errors.ts'
import { callAs } from '../../api/client.ts'
import { codeForPassword, useNeedsMailedCode } from '../../api/codes.ts'
import { useProcedure, useWork } from '../../api/hooks.ts'
import { hostOf, type Move } from '../../api/moves.ts'
import { useSession } from '../../api/sessions.ts'
import { ProofFields, proofError } from '../../parts/account/proof-fields.tsx'
import { OutboxHint } from '../../parts/mail/outbox-hint.tsx'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { CopyBlock } from '../../ui/copy.tsx'
import { CodeField, PasswordField } from '../../ui/field.tsx'
import type { Fields } from '../../ui/form.tsx'
import { PanelForm } from '../../ui/panel-form.tsx'
import { toast } from '../../ui/toast.tsx'
import { MissingMedia } from './missing-media.tsx'

interface NeedProps {
  readonly move: Move
}

const useContinue = () => useProcedure(com.core.move.continueMove, [com.core.move.getMove])

/** Asks for the mailed code, which changes the identity, or for the password where no mail protects the account. */
export function CodeNeed({ move }: NeedProps) {
  const needsMail = useNeedsMailedCode()
  const isOwn = move.direction === 'out'
  if (isOwn && needsMail === undefined) return null
  return isOwn && !needsMail ? <PasswordNeed move={move} /> : <MailedCodeNeed move={move} />
}

function PasswordNeed({ move }: NeedProps) {
  const proceed = useWork(
    async (did, field: Fields) => {
      const code = await codeForPassword(did, 'signPlcOperation', field)
      return callAs(did, com.core.move.continueMove, { body: { code } })
    },
    [com.core.move.getMove],
  )
  return (
    <PanelForm
      action={t.move.codeTitle}
      busy={proceed.isPending}
      error={proofError(proceed.error)}
      onSubmit={proceed.mutate}
      title={t.move.codeTitle}
    >
      <p>
        {t.move.passwordOut(hostOf(move.server))} {t.move.codeFinal}
      </p>
      <ProofFields error={proceed.error} />
    </PanelForm>
  )
}

function MailedCodeNeed({ move }: NeedProps) {
  const { email = '' } = useSession()
  const proceed = useContinue()
  const resend = useContinue()
  const host = hostOf(move.server)
  const isIn = move.direction === 'in'
  return (
    <PanelForm
      action={t.move.codeTitle}
      busy={proceed.isPending}
      error={proceed.error ?? resend.error}
      more={
        <Button
          busy={resend.isPending}
          onClick={() => resend.mutate({}, { onSuccess: () => toast(t.move.codeSent) })}
          variant="quiet"
        >
          {t.mail.again}
        </Button>
      }
      onSubmit={(field) => proceed.mutate({ code: field('code').trim() })}
      title={t.move.codeTitle}
    >
      <p>
        {isIn ? t.move.codeIn(host) : t.move.codeOut(email, host)} {t.move.codeFinal}
      </p>
      <CodeField hint={isIn ? undefined : <OutboxHint />} name="code" />
    </PanelForm>
  )
}

/** Asks for the password at the other server, whose session has ended. */
export function SignInNeed({ move }: NeedProps) {
  const proceed = useContinue()
  const host = hostOf(move.server)
  const needsFactor = isFactorWanted(proceed.error) || proceed.variables?.authFactorToken !== undefined
  return (
    <PanelForm
      action={t.move.signInSubmit}
      busy={proceed.isPending}
      error={isFactorWanted(proceed.error) ? null : proceed.error}
      onSubmit={(field) =>
        proceed.mutate({ password: field('password'), authFactorToken: field('factor').trim() || undefined })
      }
      title={t.move.signInAgainTitle(host)}
    >
      <p>{t.move.signInAgain}</p>
      <PasswordField label={t.move.password(host)} name="password" required />
      {needsFactor && <CodeField label={t.move.factor} name="factor" />}
    </PanelForm>
  )
}

/** Shows the content that the owner of a did:web must write into its document. */
export function DocumentNeed({ move }: NeedProps) {
  const proceed = useContinue()
  return (
    <PanelForm
      action={t.ui.checkAgain}
      busy={proceed.isPending}
      error={proceed.error}
      onSubmit={() => proceed.mutate({})}
      title={t.move.documentTitle}
    >
      <p>{t.move.documentLead}</p>
      <CopyBlock label={t.move.copyDocument} text={JSON.stringify(move.credentials, null, 2)} wrap />
    </PanelForm>
  )
}

/** Lists the files that cannot be copied, and asks whether to leave them behind. */
export function MediaNeed({ move }: NeedProps) {
  const retry = useContinue()
  const accept = useContinue()
  const host = hostOf(move.server)
  return (
    <PanelForm
      action={t.ui.retry}
      busy={retry.isPending}
      error={retry.error ?? accept.error}
      more={
        <Button busy={accept.isPending} onClick={() => accept.mutate({ withoutMissingMedia: true })}>
          {t.move.missingAccept}
        </Button>
      }
      onSubmit={() => retry.mutate({})}
      title={t.move.missingTitle}
    >
      <p>
        {move.direction === 'in'
          ? t.move.missingLeadIn(move.blobsMissing, host)
          : t.move.missingLead(move.blobsMissing, host)}
      </p>
      <MissingMedia move={move} />
    </PanelForm>
  )
}

/** Says that the old account was written to after the last copy, and asks to copy again. */
export function CopyNeed({ move }: NeedProps) {
  const retry = useContinue()
  const accept = useContinue()
  const host = hostOf(move.server)
  const isLate = move.step === 'deactivation'
  return (
    <PanelForm
      action={t.move.copySubmit}
      busy={retry.isPending}
      error={retry.error ?? accept.error ?? move.error}
      more={
        isLate && (
          <Button busy={accept.isPending} onClick={() => accept.mutate({ withoutLaterRecords: true })}>
            {t.move.laterAccept}
          </Button>
        )
      }
      onSubmit={() => retry.mutate({})}
      title={t.move.copyTitle}
    >
      <p>{isLate ? t.move.laterLead(host) : t.move.copyLead(host)}</p>
    </PanelForm>
  )
}
