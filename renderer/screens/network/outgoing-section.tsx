import { useDesktopQuery } from '../../api/desktop.ts'
import { desktop } from '../../bridge.ts'
import { t } from '../../strings/en.ts'
import { Row, RowList, Section } from '../../ui/page.tsx'
import { useSought } from '../../ui/sought.ts'
import { Badge } from '../../ui/states.tsx'
import { ConnectionMap } from './connection-map.tsx'
import styles from './network.module.css'
import type { Network } from './owner-sections.tsx'

export type Purpose = keyof typeof t.network.purposes

export interface Outgoing {
  readonly purpose: Purpose
  readonly state: string
  readonly targets: readonly string[]
}

/** What this computer is connected with, as a drawing, and all reasons for requests to other machines as a list. */
export function OutgoingSection({ network }: { readonly network: Network }) {
  const updates = useUpdateChecks()
  const outgoing = [...network.outgoing.filter(isNamed), ...updates]
  const summary = useSought<HTMLElement>(t.network.outgoingAll)
  return (
    <Section lead={t.network.outgoingLead} title={t.network.outgoing}>
      <ConnectionMap network={network} outgoing={outgoing} />
      <details className={styles.how}>
        <summary ref={summary}>{t.network.outgoingAllCount(outgoing.length)}</summary>
        <RowList label={t.network.outgoingList}>
          {outgoing.map((one) => (
            <OutgoingRow key={one.purpose} {...one} />
          ))}
        </RowList>
      </details>
    </Section>
  )
}

function isNamed(outgoing: Network['outgoing'][number]): outgoing is Network['outgoing'][number] & Outgoing {
  return outgoing.purpose in t.network.purposes
}

/** Update checks are made by the app, not by the server. */
function useUpdateChecks(): readonly Outgoing[] {
  const { data } = useDesktopQuery('settings.view')
  if (!desktop) return []
  return [{ purpose: 'updates', state: data?.settings.checkForUpdates ? 'on' : 'off', targets: [] }]
}

function OutgoingRow({ purpose, state, targets }: Outgoing) {
  const known = state in t.network.outgoingStates ? (state as keyof typeof t.network.outgoingStates) : 'on'
  return (
    <Row
      action={<Badge variant={known === 'on' ? 'good' : 'plain'}>{t.network.outgoingStates[known]}</Badge>}
      as="li"
      detail={
        <>
          <p>{t.network.purposeDetails[purpose]}</p>
          {targets.length > 0 && <p>{targets.join(', ')}</p>}
        </>
      }
      title={t.network.purposes[purpose]}
    />
  )
}

const kinds = ['lookups', 'calls', 'consumers'] as const

/** Work that the server has refused for lack of room since its start. Empty if there was none. */
export function RefusedSection({ refused }: { readonly refused: Network['refused'] }) {
  const some = kinds.filter((kind) => refused[kind] > 0)
  if (some.length === 0) return null
  return (
    <Section lead={t.network.refusedLead} title={t.network.refused}>
      <RowList label={t.network.refused}>
        {some.map((kind) => (
          <Row
            as="li"
            detail={t.network.refusedDetails[kind]}
            key={kind}
            title={t.network.refusedCounts[kind](refused[kind])}
          />
        ))}
      </RowList>
    </Section>
  )
}
