import { Truck } from 'lucide-react'
import { Link } from 'wouter'
import { t } from '../../strings/en.ts'
import { Panel, Row, Section } from '../../ui/page.tsx'
import styles from './move.module.css'

/** Opens the wizard that moves the account to another server. */
export function MoveSection() {
  return (
    <Section title={t.move.outSection}>
      <Panel>
        <Row
          action={
            <Link className={styles.link} href="/move">
              {t.move.outAction}
            </Link>
          }
          detail={t.move.outDetail}
          icon={<Truck aria-hidden size={20} strokeWidth={1.75} />}
          title={t.move.out}
        />
      </Panel>
    </Section>
  )
}
