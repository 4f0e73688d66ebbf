import { Truck } from 'lucide-react'
import { t } from '../../strings/en.ts'
import { LinkButton } from '../../ui/link-button.tsx'
import { Panel, Row, Section } from '../../ui/page.tsx'

/** Opens the wizard that moves the account to another server. */
export function MoveSection() {
  return (
    <Section title={t.move.outSection}>
      <Panel>
        <Row
          action={<LinkButton href="/move">{t.move.outAction}</LinkButton>}
          detail={t.move.outDetail}
          icon={<Truck aria-hidden size={20} strokeWidth={1.75} />}
          title={t.move.out}
        />
      </Panel>
    </Section>
  )
}
