import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import type { PlaceInput, RestoredCopy } from '../../../electron/bridge.ts'
import { restoreProgress } from '../../api/copies.ts'
import { callDesktop, useDesktopCall } from '../../api/desktop.ts'
import { entrances } from '../../entrances.ts'
import { PlaceFields, usePlaceDraft } from '../../parts/copies/place-fields.tsx'
import { useStore } from '../../store.ts'
import { t } from '../../strings/en.ts'
import { formatDateTime } from '../../strings/format.ts'
import { Button } from '../../ui/button.tsx'
import { CopyField } from '../../ui/copy.tsx'
import { Field, SelectField } from '../../ui/field.tsx'
import { Meter } from '../../ui/meter.tsx'
import { Panel, Stack } from '../../ui/page.tsx'
import { Notice } from '../../ui/states.tsx'
import { toastError } from '../../ui/toast.tsx'
import { EntranceForm } from './entrance-form.tsx'

interface Found {
  readonly place: PlaceInput
  readonly key: string
  readonly moments: readonly string[]
}

/** Restores the server from its copy: opens the copy, chooses a moment, shows the result. */
export function RestoreCopy() {
  const [found, setFound] = useState<Found>()
  const [restored, setRestored] = useState<RestoredCopy>()
  if (restored) return <Restored restored={restored} />
  return found ? (
    <ChooseMoment found={found} onBack={() => setFound(undefined)} onRestored={setRestored} />
  ) : (
    <OpenCopy onFound={setFound} />
  )
}

function OpenCopy({ onFound }: { onFound(found: Found): void }) {
  const draft = usePlaceDraft()
  const [key, setKey] = useState('')
  const find = useMutation({
    mutationFn: () => callDesktop('copies.find', draft.place, key),
    onSuccess: ({ moments }) => moments.length > 0 && onFound({ place: draft.place, key, moments }),
  })
  const choose = useDesktopCall('copies.chooseKey', [], {
    onSuccess: (chosen) => chosen !== undefined && setKey(chosen),
    onError: toastError,
  })
  return (
    <EntranceForm
      action={t.bringBack.find}
      busy={find.isPending}
      error={find.error}
      lead={t.bringBack.lead}
      links={
        <p>
          <Link href={entrances.create}>{t.bringBack.back}</Link>
        </p>
      }
      onSubmit={() => find.mutate()}
      title={t.bringBack.title}
    >
      <PlaceFields draft={draft} problems={find.data?.problems} />
      <Field
        error={find.data?.problems.key}
        hint={t.bringBack.keyHint}
        label={t.bringBack.key}
        mono
        onChange={(event) => setKey(event.target.value)}
        required
        suffix={
          <Button busy={choose.isPending} onClick={() => choose.mutate([])} size="s" variant="quiet">
            {t.bringBack.keyFile}
          </Button>
        }
        value={key}
      />
    </EntranceForm>
  )
}

interface ChooseMomentProps {
  readonly found: Found
  onBack(): void
  onRestored(restored: RestoredCopy): void
}

/** The value of the choice of another time. */
const other = 'other'

function ChooseMoment({ found: { place, key, moments }, onBack, onRestored }: ChooseMomentProps) {
  const [moment, setMoment] = useState(moments[0] ?? other)
  const client = useQueryClient()
  const restore = useMutation({
    mutationFn: (at: string | undefined) => callDesktop('copies.restore', place, key, at),
    onMutate: () => restoreProgress.set(undefined),
    onSuccess(restored) {
      onRestored(restored)
      void client.invalidateQueries()
    },
  })
  const options = moments.map((at, index) => ({
    value: at,
    label: index === 0 ? t.bringBack.newest(formatDateTime(at)) : formatDateTime(at),
  }))
  return (
    <EntranceForm
      action={t.bringBack.submit}
      busy={restore.isPending}
      error={restore.error}
      lead={t.bringBack.chooseLead}
      links={
        !restore.isPending && (
          <Button onClick={onBack} variant="quiet">
            {t.bringBack.otherPlace}
          </Button>
        )
      }
      onSubmit={(field) => {
        const chosen = moment === other ? new Date(field('time')).toISOString() : moment
        restore.mutate(chosen === moments[0] ? undefined : chosen)
      }}
      title={t.bringBack.chooseTitle}
    >
      <SelectField
        label={t.bringBack.moment}
        onChange={setMoment}
        options={[...options, { value: other, label: t.bringBack.other }]}
        value={moment}
      />
      {moment === other && (
        <Field
          hint={t.bringBack.timeHint}
          label={t.bringBack.time}
          name="time"
          required
          type="datetime-local"
        />
      )}
      <Notice>
        {t.bringBack.oldComputer} {t.bringBack.replaces}
      </Notice>
      {restore.isPending && <Progress />}
      {restore.isError && <p>{t.bringBack.again}</p>}
    </EntranceForm>
  )
}

function Progress() {
  const progress = useStore(restoreProgress)
  const text = progress ? t.bringBack.steps[progress.step] : t.bringBack.starting
  return (
    <div>
      <p role="status">{text}</p>
      {progress && <Meter label={text} max={progress.total} title={text} value={progress.done} />}
    </div>
  )
}

function Restored({ restored: { at, missingMedia, replaced } }: { readonly restored: RestoredCopy }) {
  return (
    <>
      <h1 tabIndex={-1}>{t.bringBack.done}</h1>
      <Stack>
        <p>{t.bringBack.doneText(formatDateTime(at))}</p>
        {missingMedia > 0 ? (
          <Notice variant="warn">{t.bringBack.missing(missingMedia)}</Notice>
        ) : (
          <p>{t.bringBack.complete}</p>
        )}
        <Notice>{t.bringBack.oldComputer}</Notice>
        {replaced !== '' && (
          <Panel>
            <CopyField label={t.bringBack.copyFolder} name={t.bringBack.previous} text={replaced} />
          </Panel>
        )}
        <p>
          <Link href={entrances.signIn}>{t.bringBack.signIn}</Link>
        </p>
      </Stack>
    </>
  )
}
