import type { DatetimeString } from '@atproto/lex-schema'
import { com } from '../../../lexicons/generated/index.ts'
import { useDialogAction } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { Field, SelectField } from '../../ui/field.tsx'

const count = { defaultValue: '1', inputMode: 'numeric', min: 1, required: true, type: 'number' } as const

const dayMs = 24 * 60 * 60_000

/** The time after a number of days, as the server reads it; undefined for codes that do not expire. */
function expiryOf(days: string): DatetimeString | undefined {
  return days === 'never'
    ? undefined
    : (new Date(Date.now() + Number(days) * dayMs).toISOString() as DatetimeString)
}

interface CreateInvitesDialogProps {
  /** Called if only one was created. */
  onOne(code: string): void
  onClose(): void
}

/** Creates codes, with a note whom they are for and an expiry. */
export function CreateInvitesDialog({ onOne, onClose }: CreateInvitesDialogProps) {
  const create = useDialogAction(com.core.server.createInviteCodes, {
    invalidates: [com.core.server.getAccountInviteCodes],
    input: (field) => ({
      codeCount: Number(field('codeCount')),
      useCount: Number(field('useCount')),
      note: field('note').trim() || undefined,
      expiresAt: expiryOf(field('expiry')),
    }),
    done: ({ codeCount }) => t.invites.codesCreated(codeCount),
    onDone({ codes }) {
      const [code, ...others] = codes.flatMap((ofAccount) => ofAccount.codes)
      if (code !== undefined && others.length === 0) onOne(code)
    },
    onClose,
  })
  return (
    <FormDialog {...create} action={t.ui.create} title={t.invites.createTitle}>
      <Field
        {...count}
        hint={t.invites.codeCountHint}
        label={t.invites.codeCount}
        max={100}
        name="codeCount"
      />
      <Field {...count} hint={t.invites.useCountHint} label={t.invites.useCount} max={1000} name="useCount" />
      <Field autoComplete="off" hint={t.invites.noteHint} label={t.invites.note} maxLength={64} name="note" />
      <SelectField defaultValue="never" label={t.invites.expiry} name="expiry" options={t.invites.expiries} />
    </FormDialog>
  )
}
