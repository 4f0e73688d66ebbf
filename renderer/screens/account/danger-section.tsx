import { CirclePause, Trash2 } from 'lucide-react'
import { useSession } from '../../api/sessions.ts'
import { t } from '../../strings/en.ts'
import { DialogButton } from '../../ui/dialog-button.tsx'
import { Panel, Row, Section } from '../../ui/page.tsx'
import { DeactivateDialog } from './deactivate-dialog.tsx'
import { DeleteDialog } from './delete-dialog.tsx'

export function DangerSection() {
  const { email, status } = useSession()
  return (
    <Section title={t.account.danger}>
      <Panel>
        {status !== 'deactivated' && (
          <Row
            action={
              <DialogButton dialog={(close) => <DeactivateDialog onClose={close} />}>
                {t.account.deactivateSubmit}
              </DialogButton>
            }
            detail={t.account.deactivateDetail}
            icon={<CirclePause aria-hidden size={20} strokeWidth={1.75} />}
            title={t.account.deactivate}
          />
        )}
        <Row
          action={
            <DialogButton
              dialog={(close) => <DeleteDialog email={email ?? ''} onClose={close} />}
              disabled={!email}
            >
              {t.account.removeAction}
            </DialogButton>
          }
          detail={email ? t.account.removeDetail : `${t.account.removeDetail} ${t.account.removeNeeds}`}
          icon={<Trash2 aria-hidden size={20} strokeWidth={1.75} />}
          title={t.account.remove}
        />
      </Panel>
    </Section>
  )
}
