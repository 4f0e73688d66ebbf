import { Fingerprint, LifeBuoy, Smartphone } from 'lucide-react'
import { useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import type { Body } from '../../api/client.ts'
import { endpoint } from '../../api/endpoint.ts'
import { useXrpcQuery } from '../../api/hooks.ts'
import { hasPasskeys } from '../../api/passkeys.ts'
import { PasswordDialog } from '../../parts/account/password-dialog.tsx'
import { proofOf } from '../../parts/account/proof-fields.tsx'
import { useDialogAction } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { DialogButton } from '../../ui/dialog.tsx'
import { Panel, Row, Section } from '../../ui/page.tsx'
import { Loaded, Notice } from '../../ui/states.tsx'
import { RelativeTime, Since } from '../../ui/time.tsx'
import { AppDialog } from './app-dialog.tsx'
import { EmailFactor } from './email-factor.tsx'
import { PasskeyDialog } from './passkey-dialog.tsx'
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx'

type Factors = Body<typeof com.core.factor.listFactors.main>
type Factor = Factors['factors'][number]

const queries = [com.core.factor.listFactors, com.core.server.listSecurityChanges]

/** What sign-in with the main password asks for besides it. */
export function FactorsSection() {
  const query = useXrpcQuery(com.core.factor.listFactors, {})
  /** New recovery codes, shown once. */
  const [codes, setCodes] = useState<readonly string[]>()
  return (
    <Section lead={t.factors.lead} title={t.factors.section}>
      <Loaded query={query}>
        {(listed) => (
          <>
            {listed.wrongCodes > 0 && (
              <Notice variant="warn">{t.factors.wrongCodes(listed.wrongCodes)}</Notice>
            )}
            <FactorList listed={listed} onCodes={setCodes} />
          </>
        )}
      </Loaded>
      {codes && <RecoveryCodesDialog codes={codes} onClose={() => setCodes(undefined)} />}
    </Section>
  )
}

interface FactorListProps {
  readonly listed: Factors
  onCodes(codes: readonly string[] | undefined): void
}

function FactorList({ listed: { factors, recoveryCodes }, onCodes }: FactorListProps) {
  return (
    <Panel>
      <EmailFactor />
      <Row
        action={
          <DialogButton
            aria-label={t.factors.addApp}
            dialog={(close) => <AppDialog onClose={close} onCodes={onCodes} />}
          >
            {t.factors.add}
          </DialogButton>
        }
        detail={t.factors.appDetail}
        icon={<Smartphone aria-hidden size={20} strokeWidth={1.75} />}
        title={t.factors.app}
      />
      <Row
        action={
          hasPasskeys && (
            <DialogButton
              aria-label={t.factors.addPasskey}
              dialog={(close) => <PasskeyDialog onClose={close} onCodes={onCodes} />}
            >
              {t.factors.add}
            </DialogButton>
          )
        }
        detail={
          hasPasskeys
            ? t.factors.passkeyDetail
            : `${t.factors.passkeyDetail} ${t.factors.passkeyNotHere(endpoint)}`
        }
        icon={<Fingerprint aria-hidden size={20} strokeWidth={1.75} />}
        title={t.factors.passkey}
      />
      {factors.map((factor) => (
        <FactorRow factor={factor} key={factor.id} />
      ))}
      {factors.length > 0 && (
        <Row
          action={
            <DialogButton dialog={(close) => <RenewDialog onClose={close} onCodes={onCodes} />}>
              {t.factors.renew}
            </DialogButton>
          }
          detail={`${t.factors.codesLeft(recoveryCodes)}. ${t.factors.codesDetail}`}
          icon={<LifeBuoy aria-hidden size={20} strokeWidth={1.75} />}
          title={t.factors.codes}
        />
      )}
    </Panel>
  )
}

function FactorRow({ factor: { id, kind, name, host, createdAt, lastUsedAt } }: { readonly factor: Factor }) {
  const Icon = kind === 'passkey' ? Fingerprint : Smartphone
  return (
    <Row
      action={
        <DialogButton
          aria-label={t.ui.removeNamed(name)}
          dialog={(close) => <RemoveDialog id={id} name={name} onClose={close} />}
        >
          {t.ui.remove}
        </DialogButton>
      }
      detail={
        <>
          {host !== undefined && `${t.factors.worksOn(host)} · `}
          {t.factors.added} <RelativeTime at={createdAt} />
          {' · '}
          <Since at={lastUsedAt} never={t.factors.never} text={t.factors.used} />
        </>
      }
      icon={<Icon aria-hidden size={20} strokeWidth={1.75} />}
      title={name}
    />
  )
}

interface RemoveDialogProps {
  readonly id: string
  readonly name: string
  onClose(): void
}

function RemoveDialog({ id, name, onClose }: RemoveDialogProps) {
  const remove = useDialogAction(com.core.factor.removeFactor, {
    invalidates: queries,
    input: (field) => ({ id, ...proofOf(field) }),
    done: t.factors.removed(name),
    onClose,
  })
  return (
    <PasswordDialog {...remove} action={t.ui.remove} title={t.factors.removeTitle(name)} variant="danger">
      <p>{t.factors.removeText}</p>
    </PasswordDialog>
  )
}

interface RenewDialogProps {
  onCodes(codes: readonly string[]): void
  onClose(): void
}

function RenewDialog({ onCodes, onClose }: RenewDialogProps) {
  const renew = useDialogAction(com.core.factor.renewRecoveryCodes, {
    invalidates: queries,
    input: (field) => proofOf(field),
    onDone: ({ recoveryCodes }) => onCodes(recoveryCodes),
    onClose,
  })
  return (
    <PasswordDialog {...renew} action={t.factors.renew} title={t.factors.renewTitle}>
      <p>{t.factors.renewText}</p>
    </PasswordDialog>
  )
}
