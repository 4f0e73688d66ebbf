import { useState } from 'react'
import { errorName } from '../../api/call-errors.ts'
import {
  type PictureField as PictureName,
  type ProfileChanges,
  type ProfileRecord,
  pictureFields,
  saveProfile,
  type TextField,
  textFields,
} from '../../api/profile.ts'
import { useDialogWork } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { Field, TextArea } from '../../ui/field.tsx'
import type { Fields } from '../../ui/form.tsx'
import { useUnsaved } from '../../ui/unsaved.ts'
import { type ChosenPicture, CropDialog } from './crop-dialog.tsx'
import { PictureField } from './picture-field.tsx'
import styles from './profile.module.css'

/** Limits of the lexicon, in graphemes. A website has none. */
const limits: Readonly<Partial<Record<TextField, number>>> = {
  displayName: 64,
  description: 256,
  pronouns: 20,
}
const graphemes = new Intl.Segmenter()

interface ProfileDialogProps {
  readonly base: ProfileRecord | null
  /** The URLs of the current pictures. */
  readonly pictures: { readonly [P in PictureName]?: string | undefined }
  onClose(): void
}

/** Edits the profile. Only members changed here are written, so changes from elsewhere are kept. */
export function ProfileDialog({ base, pictures, onClose }: ProfileDialogProps) {
  const [changes, setChanges] = useState<ProfileChanges>({})
  const [chosen, setChosen] = useState<ChosenPicture>()
  const [isSubmitted, setSubmitted] = useState(false)
  const save = useDialogWork({
    run: (_, did) => {
      const website = changes.website === undefined ? {} : { website: withScheme(changes.website) }
      return saveProfile(did, base, { ...changes, ...website })
    },
    invalidates: 'all',
    done: t.profile.saved,
    onClose,
  })
  useUnsaved(Object.keys(changes).length > 0)
  const change = (changed: ProfileChanges) => setChanges((before) => ({ ...before, ...changed }))
  const textOf = (field: TextField) => changes[field] ?? storedText(base, field)
  const problems = Object.fromEntries(textFields.map((field) => [field, problemOf(field, textOf(field))]))
  const field = (name: TextField) => ({
    error: isSubmitted || name !== 'website' ? problems[name] : undefined,
    label: t.profile[name],
    onChange: (event: { readonly target: { readonly value: string } }) =>
      change({ [name]: event.target.value }),
    unmarked: true,
    value: textOf(name),
  })
  const submit = (form: Fields) => {
    setSubmitted(true)
    if (Object.values(problems).every((problem) => problem === undefined)) save.onSubmit(form)
  }
  return (
    <>
      <FormDialog
        {...save}
        action={t.ui.save}
        error={errorName(save.error) === 'InvalidSwap' ? t.profile.changedElsewhere : save.error}
        onSubmit={submit}
        title={t.profile.dialog}
      >
        <div className={styles.pictures}>
          {pictureFields.map((name) => (
            <PictureField
              change={changes[name]}
              current={pictures[name]}
              field={name}
              key={name}
              onChoose={setChosen}
              onRemove={() => change({ [name]: null })}
            />
          ))}
        </div>
        <Field {...field('displayName')} autoComplete="off" />
        <TextArea {...field('description')} rows={4} />
        <Field {...field('pronouns')} autoComplete="off" />
        <Field exact {...field('website')} inputMode="url" />
      </FormDialog>
      {chosen && (
        <CropDialog
          chosen={chosen}
          onClose={() => setChosen(undefined)}
          onDone={(picture) => change({ [chosen.field]: picture })}
        />
      )}
    </>
  )
}

function storedText(base: ProfileRecord | null, field: TextField): string {
  const value = base?.value[field]
  return typeof value === 'string' ? value : ''
}

function problemOf(field: TextField, text: string): string | undefined {
  const limit = limits[field]
  if (limit !== undefined && [...graphemes.segment(text.trim())].length > limit)
    return t.profile.tooLong(limit)
  const isWebsite =
    field !== 'website' || text.trim() === '' || /^https?:\/\/[^\s.]+\.\S+$/.test(withScheme(text))
  return isWebsite ? undefined : t.profile.websiteInvalid
}

/** People leave out the scheme of their website. */
function withScheme(website: string): string {
  const text = website.trim()
  return text === '' || /^[a-z]+:/i.test(text) ? text : `https://${text}`
}
