import { useMutation } from '@tanstack/react-query'
import { errorName } from '../../api/call-errors.ts'
import { useRefreshCopies } from '../../api/copies.ts'
import type { Proof } from '../../api/passkeys.ts'
import { addPlace } from '../../api/places.ts'
import { useSession } from '../../api/sessions.ts'
import { t } from '../../strings/en.ts'
import { Notice } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { PasswordDialog } from '../account/password-dialog.tsx'
import { proofOf } from '../account/proof-fields.tsx'
import { PlaceFields, usePlaceDraft } from './place-fields.tsx'

interface AddPlaceDialogProps {
  /** The URL of a place whose password is entered again. */
  readonly known?: string
  onAdded?(proof: Proof): void
  onClose(): void
}

/** Adds a place, which is checked at once. A folder on the disk of the server is added after a warning. */
export function AddPlaceDialog({ known, onAdded, onClose }: AddPlaceDialogProps) {
  const { did } = useSession()
  const draft = usePlaceDraft(known)
  const refresh = useRefreshCopies()
  const { place } = draft
  const add = useMutation({
    mutationFn: ({ proof, sameDisk }: { readonly proof: Proof; readonly sameDisk: boolean }) =>
      addPlace(did, place, proof, sameDisk),
    async onSuccess(problems, { proof }) {
      if (Object.keys(problems).length > 0) return
      await refresh()
      toast(known === undefined ? t.copies.added : t.copies.passwordSaved)
      onClose()
      onAdded?.(proof)
    },
  })
  const isSameDisk = errorName(add.error) === 'SameDisk'
  const submit = known === undefined ? t.copies.addSubmit : t.copies.passwordSubmit
  return (
    <PasswordDialog
      action={isSameDisk ? t.copies.sameDiskSubmit : submit}
      busy={add.isPending}
      error={isSameDisk ? null : add.error}
      onClose={onClose}
      onSubmit={(field) => add.mutate({ proof: proofOf(field), sameDisk: isSameDisk })}
      title={known === undefined ? t.copies.addTitle : t.copies.passwordTitle}
      after={
        isSameDisk && (
          <Notice live variant="warn">
            {t.copies.sameDisk}
          </Notice>
        )
      }
    >
      <PlaceFields
        draft={{
          place,
          change(changes) {
            // The warning was about another folder.
            add.reset()
            draft.change(changes)
          },
        }}
        isKnown={known !== undefined}
        problems={add.data}
      />
    </PasswordDialog>
  )
}
