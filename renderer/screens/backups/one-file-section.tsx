import { FileInput, FileOutput } from 'lucide-react'
import { useDesktopCall } from '../../api/desktop.ts'
import { RestoreDialog } from '../../parts/replicas/restore-dialog.tsx'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { DialogButton } from '../../ui/dialog.tsx'
import { Panel, Row, Section } from '../../ui/page.tsx'
import { toastError } from '../../ui/toast.tsx'
import { ExportDialog } from './export-dialog.tsx'

const chosenFile = { from: 'file', passphrase: undefined } as const

/** Export to one file and import from it. */
export function OneFileSection() {
  const choose = useDesktopCall('restore.chooseFile', [], { onError: toastError })
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
      </Panel>
      {choose.data && (
        <RestoreDialog
          asks={choose.data.encrypted ? 'passphrase' : undefined}
          file={choose.data.file}
          onClose={() => choose.reset()}
          source={chosenFile}
          title={t.backups.importTitle}
        />
      )}
    </Section>
  )
}
