import type { DatetimeString } from '@atproto/lex-schema'
import { CirclePause, Trash2 } from 'lucide-react'
import { com } from '../../../lexicons/generated/index.ts'
import { useNeedsMailedCode } from '../../api/codes.ts'
import { useSession } from '../../api/sessions.ts'
import { useDialogAction } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { DialogButton, FormDialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Panel, Row, Section } from '../../ui/page.tsx'
import { DeleteDialog } from './delete-dialog.tsx'

export function DangerSection() {
  const { status } = useSession()
  const needsMail = useNeedsMailedCode()
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
              dialog={(close) => <DeleteDialog onClose={close} />}
              disabled={needsMail === undefined}
            >
              {t.account.removeAction}
            </DialogButton>
          }
          detail={t.account.removeDetail}
          icon={<Trash2 aria-hidden size={20} strokeWidth={1.75} />}
          title={t.account.remove}
        />
      </Panel>
    </Section>
  )
}

function DeactivateDialog({ onClose }: { onClose(): void }) {
  const deactivate = useDialogAction(com.core.server.deactivateAccount, {
    invalidates: [
      com.core.server.getSession,
      com.core.server.checkAccountStatus,
      com.core.server.listSecurityChanges,
    ],
    input: (field) => (field('day') === '' ? {} : { deleteAfter: startOf(field('day')) }),
    done: t.account.deactivatedToast,
    onClose,
  })
  return (
    <FormDialog
      {...deactivate}
      action={t.account.deactivateSubmit}
      title={t.account.deactivateTitle}
      variant="danger"
    >
      <p>{t.account.deactivateText}</p>
      <Field
        hint={t.account.deactivateDateHint}
        label={t.account.deactivateDate}
        min={tomorrow()}
        name="day"
        type="date"
      />
    </FormDialog>
  )
}

/** Midnight at the start of a day in local time. @param day such as `2026-11-21` */
function startOf(day: string): DatetimeString {
  return new Date(`${day}T00:00`).toISOString() as DatetimeString
}

function tomorrow(): string {
  const at = new Date()
  at.setDate(at.getDate() + 1)
  // The Swedish date format is that of date inputs.
  return at.toLocaleDateString('sv')
}
