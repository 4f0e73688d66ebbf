import { CircleAlert, CircleCheck, CircleHelp, TriangleAlert } from 'lucide-react'
import { com } from '../../../lexicons/generated/index.ts'
import type { Body } from '../../api/client.ts'
import { useProcedure } from '../../api/hooks.ts'
import { desktop } from '../../bridge.ts'
import { type FixContext, fixes } from '../../strings/en/network-fixes.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { CopyBlock } from '../../ui/copy.tsx'
import { Row, RowList, Section } from '../../ui/page.tsx'
import { FormError } from '../../ui/states.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import styles from './network.module.css'
import type { Network } from './owner-sections.tsx'
import { type ProxyName, serverOf } from './proxy-section.tsx'

type Check = Body<typeof com.core.admin.checkNetwork.main>['checks'][number]

interface DoctorSectionProps {
  readonly network: Network
  readonly publicUrl: string
  readonly proxy: ProxyName
}

/** Checks whether other servers can reach this one. Each problem comes with its fix. */
export function DoctorSection({ network, publicUrl, proxy }: DoctorSectionProps) {
  const run = useProcedure(com.core.admin.checkNetwork)
  const context = { ...serverOf(network, publicUrl), isDesktop: desktop !== undefined }
  return (
    <Section
      action={
        <Button busy={run.isPending} onClick={() => run.mutate(undefined)} variant="primary">
          {run.data ? t.ui.checkAgain : t.network.check}
        </Button>
      }
      lead={t.network.doctorLead}
      title={t.network.doctor}
    >
      <p role="status">
        {run.isPending ? t.network.checking : run.data && <Summary checks={run.data.checks} />}
      </p>
      <FormError error={run.error} />
      {run.data && (
        <>
          <RowList label={t.network.checks}>
            {run.data.checks.map((check) => (
              <CheckRow check={check} context={context} key={check.name} proxy={proxy} />
            ))}
          </RowList>
          <div className={styles.note}>
            <p>
              {t.ui.checked} <RelativeTime at={run.data.checkedAt} />. {t.network.outsideNote}
            </p>
            <CopyBlock label={t.ui.copyAddress} text={`${publicUrl}/xrpc/_health`} />
          </div>
        </>
      )}
    </Section>
  )
}

function Summary({ checks }: { readonly checks: readonly Check[] }) {
  const problems = checks.filter(({ state }) => state === 'failed' || state === 'warning').length
  return problems === 0 && checks.every(({ state }) => state === 'ok')
    ? t.network.allOk
    : t.network.problems(problems)
}

const icons = { ok: CircleCheck, warning: TriangleAlert, failed: CircleAlert, unknown: CircleHelp }
type State = keyof typeof icons

interface CheckRowProps {
  readonly check: Check
  readonly context: Omit<FixContext, 'subject'>
  readonly proxy: ProxyName
}

function CheckRow({ check, context, proxy }: CheckRowProps) {
  const { name, message, remedy, subject = context.host } = check
  const state = check.state in icons ? (check.state as State) : 'unknown'
  const Icon = icons[state]
  const fix = remedy === undefined ? undefined : fixes[remedy]
  return (
    <Row
      as="li"
      top
      detail={
        <>
          <p>{message}</p>
          {fix && <FixText {...(typeof fix === 'function' ? fix : fix[proxy])({ ...context, subject })} />}
        </>
      }
      icon={<Icon aria-label={t.network.states[state]} className={styles[state]} role="img" size={20} />}
      title={t.network.checkNames[name as keyof typeof t.network.checkNames] ?? name}
    />
  )
}

function FixText({ text, code }: { readonly text: string; readonly code?: string }) {
  return (
    <div className={styles.fix}>
      <p>{text}</p>
      {code !== undefined && <CopyBlock label={t.ui.copy} text={code} />}
    </div>
  )
}
