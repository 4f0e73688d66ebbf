import { Cake } from 'lucide-react'
import { app } from '../../../lexicons/generated/index.ts'
import { birthDateIn } from '../../api/birth-date.ts'
import { useXrpcQuery } from '../../api/hooks.ts'
import { BirthDateDialog } from '../../parts/account/birth-date-dialog.tsx'
import { t } from '../../strings/en.ts'
import { formatDate } from '../../strings/format.ts'
import { DialogButton } from '../../ui/dialog.tsx'
import { Panel, Row, Section } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'

const { getPreferences } = app.example.actor

export function BirthDateSection() {
  const query = useXrpcQuery(getPreferences, {})
  return (
    <Section title={t.birthDate.title}>
      <Loaded query={query} rows={1}>
        {({ preferences }) => <BirthDateRow date={birthDateIn(preferences)} />}
      </Loaded>
    </Section>
  )
}

function BirthDateRow({ date }: { readonly date: string | undefined }) {
  return (
    <Panel>
      <Row
        action={
          <DialogButton
            aria-label={date === undefined ? undefined : t.birthDate.change}
            dialog={(close) => <BirthDateDialog date={date} onClose={close} />}
          >
            {date === undefined ? t.birthDate.add : t.account.change}
          </DialogButton>
        }
        detail={t.birthDate.hint}
        icon={<Cake aria-hidden size={20} strokeWidth={1.75} />}
        // Noon: the day is the same in almost all time zones.
        title={date === undefined ? t.birthDate.none : formatDate(`${date}T12:00:00Z`)}
      />
    </Panel>
  )
}
