import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { errorName } from '../../api/call-errors.ts'
import { useWork } from '../../api/hooks.ts'
import { bringData, NotAnArchive, type RecoveryStep } from '../../api/recovery.ts'
import { updateSession, useSession } from '../../api/sessions.ts'
import { t } from '../../strings/en.ts'
import { Field } from '../../ui/field.tsx'
import { Notice } from '../../ui/states.tsx'
import { Switch } from '../../ui/switch.tsx'
import { toast } from '../../ui/toast.tsx'
import { EntranceForm } from './entrance-form.tsx'

/** Brings the data of an account that was recovered, and moves its identity here. Also shown later, until the account is active. */
export function RecoverData() {
  const { did, handle } = useSession()
  const [, navigate] = useLocation()
  const [file, setFile] = useState<File>()
  const [isEmpty, setEmpty] = useState(false)
  const [step, setStep] = useState<RecoveryStep>()
  const bring = useWork((_, chosen: File | undefined) => bringData(did, chosen, setStep), 'all', {
    onSuccess: () => {
      updateSession(did, { active: true, status: undefined })
      toast(t.recover.done)
      navigate('/')
    },
  })
  const isWrongFile = bring.error instanceof NotAnArchive
  return (
    <EntranceForm
      action={t.recover.submit}
      busy={bring.isPending}
      error={isWrongFile ? null : refusalOf(bring.error)}
      lead={t.recover.dataLead(handle)}
      links={
        <p>
          <Link href="/">{t.welcome.back(handle)}</Link>
        </p>
      }
      onSubmit={() => bring.mutate(isEmpty ? undefined : file)}
      title={t.recover.dataTitle}
    >
      {!isEmpty && (
        <Field
          accept=".car,.zip"
          error={isWrongFile ? t.recover.archiveWrong : undefined}
          hint={t.recover.archiveHint}
          label={t.recover.archive}
          onChange={(event) => setFile(event.target.files?.[0])}
          required
          type="file"
        />
      )}
      <Switch checked={isEmpty} label={t.recover.empty} onChange={setEmpty} />
      {isEmpty && <Notice variant="warn">{t.recover.emptyWarning}</Notice>}
      <p aria-live="polite" className="soft">
        {bring.isPending && step && textOf(step)}
      </p>
    </EntranceForm>
  )
}

/** The directory refused the operation, or did not answer: the error is that of a busy server. */
function refusalOf(error: Error | null): unknown {
  return errorName(error) === 'NotEnoughResources' ? t.recover.refused : error
}

function textOf(step: RecoveryStep): string {
  return step.name === 'uploading' ? t.recover.uploading(step.done, step.total) : t.recover[step.name]
}
