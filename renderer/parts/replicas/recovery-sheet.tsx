import { useMutation } from '@tanstack/react-query'
import { FileOutput, Printer } from 'lucide-react'
import { useEffect } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { placeName } from '../../api/copies.ts'
import { callDesktop } from '../../api/desktop.ts'
import { saveFile } from '../../api/download.ts'
import { useProcedure } from '../../api/hooks.ts'
import type { Proof } from '../../api/passkeys.ts'
import { type RecoverySheet, readSheet } from '../../api/places.ts'
import { useSession } from '../../api/sessions.ts'
import { desktop } from '../../bridge.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Stack } from '../../ui/page.tsx'
import { QrCode } from '../../ui/qr-code.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { PasswordDialog } from '../account/password-dialog.tsx'
import { proofOf } from '../account/proof-fields.tsx'
import { Paper, PaperFacts, PaperKey, PaperNote, PaperSteps } from '../backups/paper.tsx'
import styles from './replicas.module.css'

const { getCopies, keepRecoverySheet } = com.core.admin

/** The recovery sheet of the copies, to print or to save. It asks for the password first. @param proof one that was just given */
export function RecoverySheetDialog({ proof, onClose }: SheetDialogProps) {
  const { did } = useSession()
  const read = useMutation({ mutationFn: (given: Proof) => readSheet(did, given) })
  const { mutate } = read
  useEffect(() => {
    if (proof) mutate(proof)
  }, [proof, mutate])
  if (!read.data) {
    return (
      <PasswordDialog
        action={t.sheet.show}
        busy={read.isPending}
        error={read.error}
        onClose={onClose}
        onSubmit={(field) => mutate(proofOf(field))}
        title={t.sheet.title}
      >
        <p>{t.sheet.proof}</p>
      </PasswordDialog>
    )
  }
  return (
    <Dialog onClose={onClose} title={t.sheet.title} wide>
      <Sheet sheet={read.data} />
    </Dialog>
  )
}

interface SheetDialogProps {
  readonly proof?: Proof | undefined
  onClose(): void
}

const fileName = 'recovery-sheet.txt'

/** Saves the sheet: the desktop asks where, a browser uses its folder of downloads. Returns the path, if it is known. */
async function save({ text }: RecoverySheet): Promise<string | undefined> {
  if (desktop) return callDesktop('copies.saveSheet', text)
  saveFile(new Blob([text], { type: 'text/plain' }), fileName)
  return fileName
}

function Sheet({ sheet }: { readonly sheet: RecoverySheet }) {
  const { key, places } = sheet
  const session = useSession()
  const keep = useProcedure(keepRecoverySheet, [getCopies])
  const saving = useMutation({
    mutationFn: () => save(sheet),
    onSuccess(path) {
      if (path === undefined) return
      toast(t.backups.exported(path))
      keep.mutate({ key })
    },
    onError: toastError,
  })
  const facts = [
    // A folder is shown by its path, another place by the URL that commands take.
    ...places.map((url) => ({ name: t.sheet.place, value: url.startsWith('file:') ? placeName(url) : url })),
    { name: t.sheet.account, value: session.handle },
    { name: t.ui.did, value: session.did },
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
            keep.mutate({ key })
          }}
          variant="primary"
        >
          {t.ui.print}
        </Button>
        <Button
          busy={saving.isPending}
          icon={<FileOutput aria-hidden size={16} />}
          onClick={() => saving.mutate()}
        >
          {t.sheet.save}
        </Button>
      </div>
    </Stack>
  )
}
