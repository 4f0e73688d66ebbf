import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Settings, TextSetting } from '../../../electron/ground/bridge.ts'
import type { Proof } from '../../api/passkeys.ts'
import { type ServerSettingsView, useChangeSettings } from '../../api/settings.ts'
import { t } from '../../strings/en.ts'
import { Field } from '../../ui/field.tsx'
import { toast } from '../../ui/toast.tsx'
import { SaveForm } from './save-form.tsx'
import { SaveProofDialog } from './save-proof-dialog.tsx'
import { fixedHint } from './settings.ts'

interface SettingsFormProps {
  readonly view: ServerSettingsView
  /** The settings and their labels, in order. */
  readonly labels: { readonly [Name in TextSetting]?: string }
  /** Filled in at first, to be saved or discarded. */
  readonly proposal?: Partial<Settings>
  onSaved?(): void
}

/** A form of text settings, saved together. Protected ones take the main password. */
export function SettingsForm({ view, labels, proposal = {}, onSaved }: SettingsFormProps) {
  const names = Object.keys(labels) as TextSetting[]
  const { draft, setDraft, isAsking, setAsking, save } = useDraft(proposal, onSaved)
  const textOf = (name: TextSetting) => draft[name] ?? view.settings[name]
  const changed = names.filter((name) => textOf(name) !== view.settings[name])
  const needsProof = names.some((name) => draft[name] !== undefined && view.protected?.includes(name))
  return (
    <>
      <SaveForm
        busy={save.isPending}
        error={isAsking ? null : save.error}
        isChanged={changed.length > 0}
        onDiscard={() => {
          setDraft({})
          save.reset()
        }}
        onSave={() => (needsProof ? setAsking(true) : save.mutate(undefined))}
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
      {isAsking && <SaveProofDialog onClose={() => setAsking(false)} save={save} text={t.server.proofText} />}
    </>
  )
}

/** Texts that are not saved yet, and how they are saved: `isAsking` while the password is asked for. */
function useDraft(proposal: Partial<Settings>, onSaved: (() => void) | undefined) {
  const [draft, setDraft] = useState(proposal)
  const [isAsking, setAsking] = useState(false)
  const change = useChangeSettings()
  const save = useMutation({
    mutationFn: (proof: Proof | undefined) => change(trimmed(draft), proof),
    onSuccess: (problems) => {
      setAsking(false)
      if (Object.keys(problems).length > 0) return
      setDraft({})
      toast(t.server.saved)
      onSaved?.()
    },
  })
  return { draft, setDraft, isAsking, setAsking, save }
}

/** Spaces around a text come from where it was copied. */
function trimmed(draft: Partial<Settings>): Partial<Settings> {
  const values = Object.entries(draft).map(([name, value]) => [
    name,
    typeof value === 'string' ? value.trim() : value,
  ])
  return Object.fromEntries(values)
}
