import { FileInput, FileOutput } from 'lucide-react'
import { useEffect } from 'react'
import type { BackupContent } from '../../../electron/bridge.ts'
import { useDesktopCall } from '../../api/desktop.ts'
import { Content } from '../../parts/backup-content.tsx'
import { useDesktopDialogAction } from '../../parts/dialog-action.ts'
import { useRestored } from '../../parts/restore-dialog.tsx'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { DialogButton } from '../../ui/dialog-button.tsx'
import { PasswordField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Panel, Row, Section, Stack } from '../../ui/page.tsx'
import { Notice } from '../../ui/states.tsx'
import { toastError } from '../../ui/toast.tsx'
import { ExportDialog } from './export-dialog.tsx'

/** Export to one file and import from it. */
export function OneFileSection() {
  return (
    <Section lead={t.backups.oneFileLead} title={t.backups.oneFile}>
      <Panel>
        <Row
          action={
            <DialogButton dialog={(close) => <ExportDialog onClose={close} />}>{t.backups.save}</DialogButton>
          }
          detail={t.backups.saveDetail}
          icon={<FileOutput aria-hidden size={20} strokeWidth={1.75} />}
          title={t.backups.exportTitle}
        />
        <ImportRow />
      </Panel>
    </Section>
  )
}

function ImportRow() {
  const choose = useDesktopCall('backups.choose', [], { onError: toastError })
  return (
    <>
      <Row
        action={
          <Button busy={choose.isPending} onClick={() => choose.mutate([])}>
            {t.backups.load}
          </Button>
        }
        detail={t.backups.loadDetail}
        icon={<FileInput aria-hidden size={20} strokeWidth={1.75} />}
        title={t.backups.importTitle}
      />
      {choose.data && <ImportDialog chosen={choose.data} onClose={() => choose.reset()} />}
    </>
  )
}

interface ImportDialogProps {
  readonly chosen: { readonly file: string; readonly encrypted: boolean }
  onClose(): void
}

/** Opens the chosen file, with its passphrase if encrypted, shows its contents, then imports it. */
function ImportDialog({ chosen, onClose }: ImportDialogProps) {
  const open = useDesktopCall('backups.previewChosen')
  const { mutate } = open
  useEffect(() => {
    if (!chosen.encrypted) mutate([undefined])
  }, [chosen, mutate])
  if (open.data) {
    const [used] = open.variables
    return <ConfirmImportDialog content={open.data} file={chosen.file} onClose={onClose} passphrase={used} />
  }
  return (
    <FormDialog
      action={t.backups.importOpen}
      busy={open.isPending}
      error={open.error}
      onClose={onClose}
      onSubmit={(field) => mutate([chosen.encrypted ? field('passphrase') : undefined])}
      title={t.backups.importTitle}
    >
      {chosen.encrypted && (
        <PasswordField autoComplete="off" label={t.backups.importPassphrase} name="passphrase" required />
      )}
    </FormDialog>
  )
}

interface ConfirmImportDialogProps {
  readonly file: string
  readonly content: BackupContent
  readonly passphrase: string | undefined
  onClose(): void
}

function ConfirmImportDialog({ file, content, passphrase, onClose }: ConfirmImportDialogProps) {
  const importing = useDesktopDialogAction('backups.import', {
    invalidates: ['backups.list'],
    input: () => [passphrase],
    onDone: useRestored(),
    onClose,
  })
  return (
    <ConfirmDialog
      {...importing}
      action={t.backups.restoreSubmit}
      title={t.backups.importTitle}
      typed={{ label: t.backups.typed, text: t.backups.typedWord }}
    >
      <Stack>
        <p>{t.backups.importText(file)}</p>
        <Content content={content} />
        <Notice variant="warn">{t.backups.restoreText}</Notice>
      </Stack>
    </ConfirmDialog>
  )
}
