import { ShieldCheck } from 'lucide-react'
import { com } from '../../../lexicons/generated/index.ts'
import type { Body } from '../../api/client.ts'
import { useXrpcQuery } from '../../api/hooks.ts'
import { clientName } from '../../parts/apps/client-name.ts'
import { t } from '../../strings/en.ts'
import { Row, RowList, Section } from '../../ui/page.tsx'
import { EmptyState, Loaded } from '../../ui/states.tsx'
import { RelativeTime } from '../../ui/time.tsx'

const { listSecurityChanges } = com.core.server

type Change = Body<typeof listSecurityChanges.main>['changes'][number]

/** The last changes that could lock the holder out: the only notice of them for an account that has no email address. */
export function SecurityChangesSection() {
  const query = useXrpcQuery(listSecurityChanges, {})
  return (
    <Section lead={t.securityChanges.lead} title={t.securityChanges.section}>
      <Loaded query={query} rows={2}>
        {({ changes }) =>
          changes.length === 0 ? (
            <EmptyState icon={ShieldCheck} text={t.securityChanges.noneText} title={t.securityChanges.none} />
          ) : (
            <RowList label={t.securityChanges.section}>
              {changes.map((change) => (
                <ChangeRow change={change} key={`${change.changedAt} ${change.change}`} />
              ))}
            </RowList>
          )
        }
      </Loaded>
    </Section>
  )
}

function ChangeRow({ change: { change, changedAt, client, byAdmin } }: { readonly change: Change }) {
  return (
    <Row
      as="li"
      detail={
        <>
          <RelativeTime at={changedAt} />
          {' · '}
          <span title={client}>{byAdmin ? t.securityChanges.byAdmin : clientName(client)}</span>
        </>
      }
      title={titleOf(change)}
    />
  )
}

/** The title of a change; the name of one that a newer server knows. */
function titleOf(change: string): string {
  const isKnown = Object.hasOwn(t.securityChanges.titles, change)
  return isKnown ? t.securityChanges.titles[change as keyof typeof t.securityChanges.titles] : change
}
