import { useState } from 'react'
import type { ReplacedData } from '../../../electron/bridge.ts'
import { useDesktopQuery } from '../../api/desktop.ts'
import { useDesktopDialogAction } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { formatBytes, formatDate, formatDateTime } from '../../strings/format.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Row, RowList, Section } from '../../ui/page.tsx'

/** The folders with data that a restore replaced, each with a button to delete it. Nothing without such folders. */
export function ReplacedSection() {
  const { data: folders = [] } = useDesktopQuery('backups.replaced')
  const [deleting, setDeleting] = useState<ReplacedData>()
  return (
    <>
      {folders.length > 0 && (
        <Section lead={t.backups.replacedLead} title={t.backups.replaced}>
          <RowList label={t.backups.replaced}>
            {folders.map((folder) => (
              <ReplacedRow folder={folder} key={folder.name} onDelete={() => setDeleting(folder)} />
            ))}
          </RowList>
        </Section>
      )}
      {deleting && <ForgetDialog folder={deleting} onClose={() => setDeleting(undefined)} />}
    </>
  )
}

function ReplacedRow({ folder, onDelete }: { readonly folder: ReplacedData; onDelete(): void }) {
  const { replacedAt, keptUntil, bytes } = folder
  const when = formatDateTime(replacedAt)
  return (
    <Row
      action={
        <Button aria-label={t.backups.forgetLabel(when)} onClick={onDelete} size="s">
          {t.backups.forget}
        </Button>
      }
      as="li"
      detail={t.backups.replacedDetail(formatBytes(bytes), formatDate(keptUntil))}
      title={when}
    />
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
