import { FileOutput, Printer } from 'lucide-react'
import type { RecoverySheet } from '../../../electron/ground/bridge.ts'
import { placeName } from '../../api/copies.ts'
import { useDesktopCall, useDesktopQuery } from '../../api/desktop.ts'
import { useMaybeSession } from '../../api/sessions.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Stack } from '../../ui/page.tsx'
import { QrCode } from '../../ui/qr-code.tsx'
import { Loaded } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { Paper, PaperFacts, PaperKey, PaperNote, PaperSteps } from '../backups/paper.tsx'
import styles from './replicas.module.css'

/** The recovery sheet of the copies, to print or to save. */
export function RecoverySheetDialog({ onClose }: { onClose(): void }) {
  const query = useDesktopQuery('copies.sheet')
  return (
    <Dialog onClose={onClose} title={t.sheet.title} wide>
      <Loaded query={query}>{(sheet) => <Sheet sheet={sheet} />}</Loaded>
    </Dialog>
  )
}

function Sheet({ sheet: { key, places } }: { readonly sheet: RecoverySheet }) {
  const session = useMaybeSession()
  const keep = useDesktopCall('copies.keepSheet', ['settings.view'])
  const save = useDesktopCall('copies.saveSheet', ['settings.view'], {
    onSuccess: (path) => path !== undefined && toast(t.backups.exported(path)),
    onError: toastError,
  })
  const facts = [
    // A folder is shown by its path, another place by the URL that commands take.
    ...places.map((url) => ({ name: t.sheet.place, value: url.startsWith('file:') ? placeName(url) : url })),
    ...(session ? [{ name: t.sheet.account, value: session.handle }] : []),
    ...(session ? [{ name: t.ui.did, value: session.did }] : []),
  ]
  return (
    <Stack>
      <Paper title={t.sheet.title}>
        <p>{t.sheet.keep}</p>
        <PaperFacts facts={facts} />
        <h4>{t.sheet.key}</h4>
        <div className={styles.code}>
          <PaperKey name={t.sheet.key} value={key} />
          <QrCode label={t.sheet.qr} text={key} />
        </div>
        <PaperNote>{t.sheet.keyNote}</PaperNote>
        <h4>{t.sheet.useTitle}</h4>
        <PaperSteps steps={t.sheet.use} />
        <PaperNote>{t.sheet.kit}</PaperNote>
      </Paper>
      <div className="buttons">
        <Button
          icon={<Printer aria-hidden size={16} />}
          onClick={() => {
            window.print()
            keep.mutate([])
          }}
          variant="primary"
        >
          {t.ui.print}
        </Button>
        <Button
          busy={save.isPending}
          icon={<FileOutput aria-hidden size={16} />}
          onClick={() => save.mutate([])}
        >
          {t.sheet.save}
        </Button>
      </div>
    </Stack>
  )
}
