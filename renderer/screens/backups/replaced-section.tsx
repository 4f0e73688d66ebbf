import type { ReplacedData } from '../../../electron/ground/bridge.ts'
import { useDesktopQuery } from '../../api/desktop.ts'
import { useDesktopDialogAction } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { formatBytes, formatDate, formatDateTime } from '../../strings/format.ts'
import { ConfirmDialog, DialogButton } from '../../ui/dialog.tsx'
import { Row, RowList, Section } from '../../ui/page.tsx'

/** The folders with data that a restore replaced, each with buttons to put it back and to delete it. Empty if there are none. */
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

const actions = ['putBack', 'forget'] as const
const channels = { putBack: 'restore.undo', forget: 'backups.forget' } as const

function ReplacedRow({ folder }: { readonly folder: ReplacedData }) {
  const { replacedAt, keptUntil, bytes } = folder
  const when = formatDateTime(replacedAt)
  return (
    <Row
      action={actions.map((action) => (
        <DialogButton
          aria-label={t.backups.replacedLabels[action](when)}
          dialog={(close) => <ReplacedDialog action={action} folder={folder} onClose={close} />}
          key={action}
          size="s"
        >
          {t.backups.replacedActions[action]}
        </DialogButton>
      ))}
      as="li"
      detail={t.backups.replacedDetail(formatBytes(bytes), formatDate(keptUntil))}
      title={when}
    />
  )
}

interface ReplacedDialogProps {
  readonly action: (typeof actions)[number]
  readonly folder: ReplacedData
  onClose(): void
}

function ReplacedDialog({ action, folder, onClose }: ReplacedDialogProps) {
  const { name, replacedAt, bytes } = folder
  const work = useDesktopDialogAction(channels[action], {
    invalidates: ['backups.replaced'],
    input: () => [name],
    done: t.backups.replacedDone[action],
    onClose,
  })
  return (
    <ConfirmDialog
      {...work}
      action={t.backups.replacedSubmits[action]}
      title={t.backups.replacedTitles[action]}
    >
      <p>{t.backups.replacedTexts[action](formatDateTime(replacedAt), formatBytes(bytes))}</p>
    </ConfirmDialog>
  )
}
