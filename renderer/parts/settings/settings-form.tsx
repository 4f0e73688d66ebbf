import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Settings, TextSetting } from '../../../electron/ground/bridge.ts'
import { type ServerSettingsView, useChangeSettings } from '../../api/settings.ts'
import { t } from '../../strings/en.ts'
import { Field } from '../../ui/field.tsx'
import { toast } from '../../ui/toast.tsx'
import { SaveForm } from './save-form.tsx'
import { fixedHint } from './settings.ts'

interface SettingsFormProps {
  readonly view: ServerSettingsView
  /** The settings and their labels, in order. */
  readonly labels: { readonly [Name in TextSetting]?: string }
  /** Filled in at first, to be saved or discarded. */
  readonly proposal?: Partial<Settings>
  onSaved?(): void
}

/** A form of text settings, saved together. */
export function SettingsForm({ view, labels, proposal = {}, onSaved }: SettingsFormProps) {
  const names = Object.keys(labels) as TextSetting[]
  const [draft, setDraft] = useState(proposal)
  const save = useMutation({
    mutationFn: useChangeSettings(),
    onSuccess: (problems) => {
      if (Object.keys(problems).length > 0) return
      setDraft({})
      toast(t.server.saved)
      onSaved?.()
    },
  })
  const textOf = (name: TextSetting) => draft[name] ?? view.settings[name]
  return (
    <SaveForm
      busy={save.isPending}
      error={save.error}
      isChanged={names.some((name) => textOf(name) !== view.settings[name])}
      onDiscard={() => {
        setDraft({})
        save.reset()
      }}
      onSave={() => save.mutate(draft)}
      problems={save.data}
    >
      {names.map((name) => (
        <Field
          error={save.data?.[name]}
          disabled={fixedHint(view, name) !== undefined}
          hint={fixedHint(view, name) ?? t.server.hints[name]}
          key={name}
          label={labels[name] ?? ''}
          mono
          onChange={(event) => setDraft({ ...draft, [name]: event.target.value })}
          placeholder={view.defaults[name]}
          unmarked
          value={textOf(name)}
        />
      ))}
    </SaveForm>
  )
}
