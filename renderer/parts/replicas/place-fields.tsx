import { useState } from 'react'
import type { PlaceInput, PlaceProblems } from '../../../electron/ground/bridge.ts'
import { useDesktopCall } from '../../api/desktop.ts'
import { desktop } from '../../bridge.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { Choices } from '../../ui/choices.tsx'
import { Field, PasswordField } from '../../ui/field.tsx'
import { Stack } from '../../ui/page.tsx'
import styles from './replicas.module.css'

const empty: PlaceInput = {
  ...{ kind: 'folder', address: '', user: '', bucket: '', region: '', accessKeyId: '', secret: '' },
}

/** The draft of a place. @param known the URL of a place whose password is entered again */
export function usePlaceDraft(known?: string) {
  const [place, setPlace] = useState<PlaceInput>(() => (known === undefined ? empty : placeOf(known)))
  return { place, change: (changes: Partial<PlaceInput>) => setPlace({ ...place, ...changes }) }
}

/** Converts the URL of a place to what its form shows. */
function placeOf(text: string): PlaceInput {
  const url = new URL(text)
  const path = decodeURIComponent(url.pathname)
  if (url.protocol === 'file:') return { ...empty, address: path }
  if (url.protocol === 's3:') {
    const { searchParams } = url
    return {
      ...empty,
      kind: 's3',
      address: searchParams.get('endpoint') ?? '',
      bucket: `${url.host}${path}`,
      region: searchParams.get('region') ?? '',
    }
  }
  const address = `${url.protocol.replace('webdav+', '')}//${url.host}${url.pathname}`
  return { ...empty, kind: 'webdav', address, user: decodeURIComponent(url.username) }
}

/** Returns what the form shows for the URL of a place, as a recovery sheet has it; undefined for other text. */
function ofSheet(text: string): PlaceInput | undefined {
  if (!/^(file|s3|webdav\+https?):\/\/./.test(text)) return undefined
  try {
    return placeOf(text)
  } catch {
    return undefined
  }
}

interface PlaceFieldsProps {
  readonly draft: ReturnType<typeof usePlaceDraft>
  readonly problems: PlaceProblems | undefined
  /** Only the password can be changed. */
  readonly isKnown?: boolean
}

/** Describes a place: its kind, and the fields that this kind needs. */
export function PlaceFields({ draft: { place, change }, problems = {}, isKnown = false }: PlaceFieldsProps) {
  const { kind } = place
  const field = (name: Exclude<keyof PlaceInput, 'kind'>) => ({
    error: problems[name],
    exact: true,
    onChange: (event: { readonly target: { readonly value: string } }) =>
      change({ [name]: event.target.value.trim() }),
    readOnly: isKnown && name !== 'secret' && name !== 'accessKeyId',
    required: true,
    value: place[name],
  })
  return (
    <Stack>
      {!isKnown && (
        <div>
          <Choices
            label={t.copies.kind}
            onChange={(next) => change({ ...empty, kind: next })}
            options={t.copies.kinds}
            value={kind}
          />
          <p className={styles.hint}>{t.copies.kindTexts[kind]}</p>
        </div>
      )}
      <Field
        {...field('address')}
        key={kind}
        label={t.copies.addresses[kind]}
        onBlur={() => change(ofSheet(place.address) ?? {})}
        placeholder={t.copies.examples[kind]}
        hint={kind === 'folder' && !isKnown && t.copies.folderHint}
        suffix={desktop && kind === 'folder' && <ChooseFolder onChosen={(address) => change({ address })} />}
      />
      {kind === 'webdav' && (
        <>
          <Field {...field('user')} label={t.copies.user} />
          <PasswordField
            {...field('secret')}
            autoComplete="off"
            hint={t.copies.appPasswordHint}
            label={t.copies.appPassword}
          />
        </>
      )}
      {kind === 's3' && (
        <>
          <Field {...field('bucket')} hint={t.copies.bucketHint} label={t.copies.bucket} />
          <Field {...field('region')} label={t.copies.region} required={false} />
          <Field {...field('accessKeyId')} label={t.copies.accessKeyId} />
          <PasswordField {...field('secret')} autoComplete="off" label={t.copies.secretAccessKey} />
        </>
      )}
    </Stack>
  )
}

function ChooseFolder({ onChosen }: { onChosen(path: string): void }) {
  const choose = useDesktopCall('copies.chooseFolder', [], {
    onSuccess: (path) => path !== undefined && onChosen(path),
  })
  return (
    <Button busy={choose.isPending} onClick={() => choose.mutate([])} size="s" variant="quiet">
      {t.ui.choose}
    </Button>
  )
}
