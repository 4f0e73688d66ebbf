import { CirclePause, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useSession } from '../../api/sessions.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { Panel, Row, Section } from '../../ui/page.tsx'
import { DeactivateDialog } from './deactivate-dialog.tsx'
import { DeleteDialog } from './delete-dialog.tsx'

export function DangerSection() {
  const { email, status } = useSession()
  const [open, setOpen] = useState<'deactivate' | 'delete'>()
  const close = () => setOpen(undefined)
  return (
    <Section title={t.account.danger}>
      <Panel>
        {status !== 'deactivated' && (
          <Row
            action={<Button onClick={() => setOpen('deactivate')}>{t.account.deactivateSubmit}</Button>}
            detail={t.account.deactivateDetail}
            icon={<CirclePause aria-hidden size={20} strokeWidth={1.75} />}
            title={t.account.deactivate}
          />
        )}
        <Row
          action={
            <Button disabled={!email} onClick={() => setOpen('delete')}>
              {t.account.removeAction}
            </Button>
          }
          detail={email ? t.account.removeDetail : `${t.account.removeDetail} ${t.account.removeNeeds}`}
          icon={<Trash2 aria-hidden size={20} strokeWidth={1.75} />}
          title={t.account.remove}
        />
      </Panel>
      {open === 'deactivate' && <DeactivateDialog onClose={close} />}
      {open === 'delete' && email && <DeleteDialog email={email} onClose={close} />}
    </Section>
  )
}
