import type { ReplacedData } from '../../../electron/bridge.ts'
import { useDesktopQuery } from '../../api/desktop.ts'
import { useDesktopDialogAction } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { formatBytes, formatDate, formatDateTime } from '../../strings/format.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { DialogButton } from '../../ui/dialog-button.tsx'
import { Row, RowList, Section } from '../../ui/page.tsx'

/** The folders with data that a restore replaced, each with buttons to put it back and to delete it. Nothing without such folders. */
export function ReplacedSection() {
  const { data: folders = [] } = useDesktopQuery('backups.replaced')
  if (folders.length === 0) return null
  return (
    <Section lead={t.backups.replacedLead} title={t.backups.replaced}>
      <RowList label={t.backups.replaced}>
        {folders.map((folder) => (
          <ReplacedRow folder={folder} key={folder.name} />
        ))}
      </RowList>
    </Section>
  )
}

function ReplacedRow({ folder }: { readonly folder: ReplacedData }) {
  const { replacedAt, keptUntil, bytes } = folder
  const when = formatDateTime(replacedAt)
  return (
    <Row
      action={
        <>
          <DialogButton
            aria-label={t.backups.putBackLabel(when)}
            dialog={(close) => <PutBackDialog folder={folder} onClose={close} />}
            size="s"
          >
            {t.backups.putBack}
          </DialogButton>
          <DialogButton
            aria-label={t.backups.forgetLabel(when)}
            dialog={(close) => <ForgetDialog folder={folder} onClose={close} />}
            size="s"
          >
            {t.backups.forget}
          </DialogButton>
        </>
      }
      as="li"
      detail={t.backups.replacedDetail(formatBytes(bytes), formatDate(keptUntil))}
      title={when}
    />
  )
}

function PutBackDialog({ folder, onClose }: { readonly folder: ReplacedData; onClose(): void }) {
  const { name, replacedAt } = folder
  const putBack = useDesktopDialogAction('restore.undo', {
    invalidates: ['backups.replaced'],
    input: () => [name],
    done: t.backups.putBackDone,
    onClose,
  })
  return (
    <ConfirmDialog {...putBack} action={t.backups.putBackSubmit} title={t.backups.putBackTitle}>
      <p>{t.backups.putBackText(formatDateTime(replacedAt))}</p>
    </ConfirmDialog>
  )
}

function ForgetDialog({ folder, onClose }: { readonly folder: ReplacedData; onClose(): void }) {
  const { name, replacedAt, bytes } = folder
  const forget = useDesktopDialogAction('backups.forget', {
    invalidates: ['backups.replaced'],
    input: () => [name],
    done: t.backups.forgotten,
    onClose,
  })
  return (
    <ConfirmDialog {...forget} action={t.backups.forgetSubmit} title={t.backups.forgetTitle}>
      <p>{t.backups.forgetText(formatDateTime(replacedAt), formatBytes(bytes))}</p>
    </ConfirmDialog>
  )
}
