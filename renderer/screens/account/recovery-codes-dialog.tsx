import { t } from '../../strings/en.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Stack } from '../../ui/page.tsx'
import { Secret } from '../../ui/secret.tsx'

interface RecoveryCodesDialogProps {
  readonly codes: readonly string[]
  onClose(): void
}

/** Shows recovery codes once. */
export function RecoveryCodesDialog({ codes, onClose }: RecoveryCodesDialogProps) {
  return (
    <Dialog dismissible={false} onClose={onClose} title={t.factors.codesTitle}>
      <Stack>
        <p>{t.factors.codesText}</p>
        <Secret name={t.factors.codes} onSaved={onClose} value={codes.join('\n')} />
      </Stack>
    </Dialog>
  )
}
