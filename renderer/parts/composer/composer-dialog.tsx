import { t } from '../../strings/en.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Composer, type ComposerProps } from './composer.tsx'

interface ComposerDialogProps extends ComposerProps {
  onClose(): void
}

/** The form for a new post, a reply or a quote as a dialog, which closes when it is posted. */
export function ComposerDialog({ onClose, onPosted, ...composer }: ComposerDialogProps) {
  const kind = composer.replyTo ? 'reply' : composer.quote ? 'quote' : 'post'
  return (
    <Dialog onClose={onClose} title={t.composer.dialog[kind]}>
      <Composer
        {...composer}
        autoFocus
        onPosted={(uri) => {
          onPosted?.(uri)
          onClose()
        }}
      />
    </Dialog>
  )
}
