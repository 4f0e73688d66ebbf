import { com } from '../../../lexicons/generated/index.ts'
import { useRefreshCopies } from '../../api/copies.ts'
import { t } from '../../strings/en.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { useDesktopDialogAction, useDialogAction } from '../dialog-action.ts'

const { acceptEmptyPlace, dismissLostChanges, getCopies } = com.core.admin

interface PlaceDialogProps {
  readonly url: string
  onClose(): void
}

type Named = PlaceDialogProps & { readonly name: string }

/** Stops copying to a place. */
export function RemoveDialog({ url, name, onClose }: Named) {
  const refresh = useRefreshCopies()
  const remove = useDesktopDialogAction('copies.remove', {
    input: () => [url],
    done: t.copies.removed,
    onDone: () => void refresh(),
    onClose,
  })
  return (
    <ConfirmDialog {...remove} action={t.copies.removeSubmit} title={t.copies.removeTitle(name)}>
      {t.copies.removeText}
    </ConfirmDialog>
  )
}

/** Makes a new copy at a place that has lost its copy. */
export function BeginAnewDialog({ url, name, onClose }: Named) {
  const accept = useDialogAction(acceptEmptyPlace, {
    invalidates: [getCopies],
    input: () => ({ url }),
    done: t.copies.begunAnew,
    onClose,
  })
  return (
    <ConfirmDialog {...accept} action={t.copies.beginAnewSubmit} title={t.copies.beginAnewTitle(name)}>
      {t.copies.beginAnewText}
    </ConfirmDialog>
  )
}

/** Stops offering changes that this computer has lost. */
export function DismissDialog({ url, changes, onClose }: PlaceDialogProps & { readonly changes: number }) {
  const dismiss = useDialogAction(dismissLostChanges, {
    invalidates: [getCopies],
    input: () => ({ url }),
    done: t.copies.dismissed,
    onClose,
  })
  return (
    <ConfirmDialog {...dismiss} action={t.copies.dismiss} title={t.copies.dismissTitle}>
      {t.copies.dismissText(changes)}
    </ConfirmDialog>
  )
}
