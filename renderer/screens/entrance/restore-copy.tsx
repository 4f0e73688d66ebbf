import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import type { RestorePoint, RestoreSource } from '../../../electron/ground/bridge.ts'
import { callDesktop, useDesktopCall } from '../../api/desktop.ts'
import { entrances } from '../../entrances.ts'
import { inGroups } from '../../parts/backups/paper.tsx'
import { PlaceFields, usePlaceDraft } from '../../parts/replicas/place-fields.tsx'
import { RestorePoints } from '../../parts/replicas/restore-points.tsx'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Stack } from '../../ui/page.tsx'
import { toastError } from '../../ui/toast.tsx'
import styles from './entrance.module.css'
import { EntranceForm } from './entrance-form.tsx'

interface Found {
  readonly source: RestoreSource
  readonly points: readonly RestorePoint[]
}

/** Restores the server from its copy at a place: opens the copy, then chooses a restore point. */
export function RestoreCopy() {
  const [found, setFound] = useState<Found>()
  if (!found) return <OpenCopy onFound={setFound} />
  return (
    <Stack>
      <div>
        <h1 tabIndex={-1}>{t.bringBack.chooseTitle}</h1>
        <p className={styles.lead}>{t.bringBack.chooseLead}</p>
      </div>
      <RestorePoints {...found} name={t.bringBack.place} />
      <div>
        <Button onClick={() => setFound(undefined)} size="s">
          {t.bringBack.otherPlace}
        </Button>
      </div>
    </Stack>
  )
}

/** The key in groups, as the recovery sheet has it, to be compared with it. */
function Entered({ text }: { readonly text: string }) {
  const key = text.replaceAll(/\s/g, '').toUpperCase()
  return key.startsWith('AGE-') ? <code>{inGroups(key)}</code> : t.bringBack.keyHint
}

function OpenCopy({ onFound }: { onFound(found: Found): void }) {
  const draft = usePlaceDraft()
  const [key, setKey] = useState('')
  const find = useMutation({
    mutationFn: (source: RestoreSource) => callDesktop('restore.points', source),
    onSuccess: ({ points }, source) => points.length > 0 && onFound({ source, points }),
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
      onSubmit={() => find.mutate({ from: 'otherPlace', place: draft.place, key })}
      title={t.bringBack.way}
    >
      <PlaceFields draft={draft} problems={find.data?.problems} />
      <Field
        error={find.data?.problems.key}
        hint={find.data?.problems.key === undefined ? t.bringBack.keyHint : <Entered text={key} />}
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
