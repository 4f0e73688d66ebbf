import { Fingerprint } from 'lucide-react'
import { hasPasskeys } from '../../api/passkeys.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'

/** Proves the second step by a passkey, where the page can use one. */
export function PasskeyButton({ busy, onUse }: { readonly busy: boolean; onUse(): void }) {
  if (!hasPasskeys) return null
  return (
    <Button busy={busy} icon={<Fingerprint aria-hidden size={16} />} onClick={onUse}>
      {t.factors.usePasskey}
    </Button>
  )
}
