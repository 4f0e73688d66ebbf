import { Download, Printer } from 'lucide-react'
import { useState } from 'react'
import { saveFile } from '../../api/download.ts'
import { endpoint } from '../../api/endpoint.ts'
import { useSession } from '../../api/sessions.ts'
import { Paper, PaperCodes, PaperFacts } from '../../parts/backups/paper.tsx'
import { t } from '../../strings/en.ts'
import { formatDate } from '../../strings/format.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Stack } from '../../ui/page.tsx'

interface RecoveryCodesDialogProps {
  readonly codes: readonly string[]
  onClose(): void
}

/** Shows recovery codes once, as a page to print, save or copy. */
export function RecoveryCodesDialog({ codes, onClose }: RecoveryCodesDialogProps) {
  const { handle } = useSession()
  const [createdAt] = useState(() => new Date().toISOString())
  const [isKept, setKept] = useState(false)
  const facts = [
    { name: t.ui.handle, value: handle },
    { name: t.kit.server, value: endpoint },
    { name: t.ui.created, value: formatDate(createdAt) },
  ]
  const print = () => {
    window.print()
    setKept(true)
  }
  const save = () => {
    const lines = [t.factors.codesTitle, ...facts.map(({ name, value }) => `${name}: ${value}`), '', ...codes]
    saveFile(new Blob([`${lines.join('\n')}\n`], { type: 'text/plain' }), t.factors.codesFile(handle))
    setKept(true)
  }
  return (
    <Dialog dismissible={false} onClose={onClose} title={t.factors.codesTitle}>
      <Stack>
        <Paper title={t.factors.codes}>
          <p>{t.factors.codesText}</p>
          <PaperFacts facts={facts} />
          <PaperCodes codes={codes} name={t.factors.codes} />
        </Paper>
        <div className="buttons">
          <Button icon={<Printer aria-hidden size={16} />} onClick={print}>
            {t.ui.print}
          </Button>
          <Button icon={<Download aria-hidden size={16} />} onClick={save}>
            {t.factors.saveCodes}
          </Button>
          <CopyButton full label={t.ui.copy} onCopied={() => setKept(true)} text={codes.join('\n')} />
        </div>
        <p className="soft">{t.ui.shownOnce}</p>
      </Stack>
      <DialogActions>
        <Button onClick={onClose} variant={isKept ? 'primary' : 'plain'}>
          {t.ui.saved}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
