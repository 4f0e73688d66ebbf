import { useDesktopQuery } from '../../api/desktop.ts'
import { desktop } from '../../bridge.ts'
import { t } from '../../strings/en.ts'
import { Row, RowList, Section } from '../../ui/page.tsx'
import { Badge } from '../../ui/states.tsx'
import type { Network } from './owner-sections.tsx'

type Outgoing = Network['outgoing'][number]
type Purpose = keyof typeof t.network.purposes

/** Requests of the server and the app to other machines. */
export function OutgoingSection({ outgoing }: { readonly outgoing: readonly Outgoing[] }) {
  return (
    <Section lead={t.network.outgoingLead} title={t.network.outgoing}>
      <RowList label={t.network.outgoingList}>
        {outgoing.map(({ purpose, state, targets }) =>
          purpose in t.network.purposes ? (
            <OutgoingRow key={purpose} purpose={purpose as Purpose} state={state} targets={targets} />
          ) : null,
        )}
        {desktop && <UpdatesRow />}
      </RowList>
    </Section>
  )
}

/** Update checks are made by the app, not by the server. */
function UpdatesRow() {
  const { data } = useDesktopQuery('settings.view')
  return <OutgoingRow purpose="updates" state={data?.settings.checkForUpdates ? 'on' : 'off'} targets={[]} />
}

interface OutgoingRowProps {
  readonly purpose: Purpose
  readonly state: string
  readonly targets: readonly string[]
}

function OutgoingRow({ purpose, state, targets }: OutgoingRowProps) {
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
