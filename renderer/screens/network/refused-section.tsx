import { t } from '../../strings/en.ts'
import { Row, RowList, Section } from '../../ui/page.tsx'
import type { Network } from './owner-sections.tsx'

const kinds = ['lookups', 'calls', 'consumers'] as const

/** Work that the server has refused for lack of room since its start. Renders nothing without any. */
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
