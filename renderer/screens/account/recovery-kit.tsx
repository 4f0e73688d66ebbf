import { Printer } from 'lucide-react'
import { useState } from 'react'
import { endpoint } from '../../api/endpoint.ts'
import { useSession } from '../../api/sessions.ts'
import { Paper, PaperFacts, PaperKey, PaperNote, PaperSteps } from '../../parts/backups/paper.tsx'
import { t } from '../../strings/en.ts'
import { formatDate } from '../../strings/format.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import type { RecoveryKey } from './recovery-key.ts'

/** The page that its holder keeps: the account, the key, and instructions. */
export function RecoveryKit({
  recoveryKey: { publicKey, secretKey },
  published,
}: {
  readonly recoveryKey: RecoveryKey
  /** Whether a directory has the identity: before that, no other server can find it. */
  readonly published: boolean
}) {
  const { did, handle } = useSession()
  const [createdAt] = useState(() => new Date().toISOString())
  const facts = [
    { name: t.ui.handle, value: handle },
    { name: t.ui.did, value: did },
    { name: t.kit.server, value: endpoint },
    { name: t.ui.created, value: formatDate(createdAt) },
    { name: t.identity.publicKey, value: publicKey },
  ]
  return (
    <>
      <Paper title={t.kit.title}>
        <p>{t.kit.keep}</p>
        <PaperFacts facts={facts} />
        <h4>{t.kit.secretKey}</h4>
        <PaperKey name={t.kit.secretKey} value={secretKey} />
        <PaperNote>{t.kit.secretNote}</PaperNote>
        <h4>{t.kit.useTitle}</h4>
        {!published && <p>{t.kit.unpublished}</p>}
        <PaperSteps steps={t.kit.use} />
        <PaperNote>{t.kit.undo}</PaperNote>
      </Paper>
      <div className="buttons">
        <Button icon={<Printer aria-hidden size={16} />} onClick={() => window.print()}>
          {t.ui.print}
        </Button>
        <CopyButton full label={t.identity.copySecret} text={secretKey} />
      </div>
    </>
  )
}
