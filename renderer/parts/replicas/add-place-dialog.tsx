import { useMutation } from '@tanstack/react-query'
import { useRefreshCopies } from '../../api/copies.ts'
import { callDesktop } from '../../api/desktop.ts'
import { t } from '../../strings/en.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { toast } from '../../ui/toast.tsx'
import { PlaceFields, usePlaceDraft } from './place-fields.tsx'

interface AddPlaceDialogProps {
  /** The URL of a place whose password is entered again. */
  readonly known?: string
  onAdded?(): void
  onClose(): void
}

/** Adds a place, which is checked at once. */
export function AddPlaceDialog({ known, onAdded, onClose }: AddPlaceDialogProps) {
  const draft = usePlaceDraft(known)
  const refresh = useRefreshCopies()
  const add = useMutation({
    mutationFn: () => callDesktop('copies.add', draft.place),
    async onSuccess(problems) {
      if (Object.keys(problems).length > 0) return
      await refresh()
      toast(known === undefined ? t.copies.added : t.copies.passwordSaved)
      onClose()
      onAdded?.()
    },
  })
  return (
    <FormDialog
      action={known === undefined ? t.copies.addSubmit : t.copies.passwordSubmit}
      busy={add.isPending}
      error={add.error}
      onClose={onClose}
      onSubmit={() => add.mutate()}
      title={known === undefined ? t.copies.addTitle : t.copies.passwordTitle}
    >
      <PlaceFields draft={draft} isKnown={known !== undefined} problems={add.data} />
    </FormDialog>
  )
}
