import { t } from '../../strings/en.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { kindOf } from './composer.tsx'
import { ComposerForm } from './composer-form.tsx'
import { ContextCard } from './context-card.tsx'
import type { ComposerProps } from './use-composer.ts'

interface ComposerDialogProps extends ComposerProps {
  onClose(): void
}

/** The form for a new post, a reply or a quote as a dialog, which closes when it is posted. Its draft is kept when it is closed before. */
export function ComposerDialog({ onClose, onPosted, ...props }: ComposerDialogProps) {
  return (
    <Dialog onClose={onClose} title={t.composer.dialog[kindOf(props)]}>
      <ContextCard {...props} />
      <ComposerForm
        {...props}
        autoFocus
        onPosted={(uri) => {
          onPosted?.(uri)
          onClose()
        }}
      />
    </Dialog>
  )
}
