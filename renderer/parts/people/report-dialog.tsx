import { useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { useProcedure } from '../../api/hooks.ts'
import { t } from '../../strings/en.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { SelectField, TextArea } from '../../ui/field.tsx'
import { toast } from '../../ui/toast.tsx'

const { createReport } = com.core.moderation

/** The names of the reasons, in the order of the list. */
const reasons = {
  spam: 'reasonSpam',
  rules: 'reasonViolation',
  misleading: 'reasonMisleading',
  sexual: 'reasonSexual',
  harassment: 'reasonRude',
  other: 'reasonOther',
}

type Reason = keyof typeof reasons

const { spam, rules, misleading, sexual, harassment, other } = t.reports.kinds
const options = { spam, rules, misleading, sexual, harassment, other }

interface ReportDialogProps {
  readonly title: string
  /** A reference to a record, or to an account. */
  readonly subject: object
  onClose(): void
}

/** Reports a post or a person to the owner of this server. */
export function ReportDialog({ title, subject, onClose }: ReportDialogProps) {
  const [reason, setReason] = useState<Reason>('spam')
  const report = useProcedure(createReport, [], {
    onSuccess() {
      toast(t.people.reported)
      onClose()
    },
  })
  return (
    <FormDialog
      action={t.people.report}
      busy={report.isPending}
      error={report.error}
      onClose={onClose}
      onSubmit={(field) =>
        report.mutate({
          reasonType: `com.core.moderation.defs#${reasons[reason]}`,
          reason: field('details').trim() || undefined,
          subject,
        } as never)
      }
      title={title}
    >
      <p className="soft">{t.people.reportText}</p>
      <SelectField label={t.people.reportReason} onChange={setReason} options={options} value={reason} />
      <TextArea label={t.people.reportDetails} maxLength={2000} name="details" rows={3} />
    </FormDialog>
  )
}
