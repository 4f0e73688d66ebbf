import { com } from '../../../lexicons/generated/index.ts'
import { type BackupPoint, ownBackups, useBackups } from '../../api/backups.ts'
import { explain } from '../../api/call-errors.ts'
import { callDesktop } from '../../api/desktop.ts'
import { useProcedure } from '../../api/hooks.ts'
import { desktop } from '../../bridge.ts'
import { t } from '../../strings/en.ts'
import { formatDateTime } from '../../strings/format.ts'
import { Button } from '../../ui/button.tsx'
import { CopyField } from '../../ui/copy.tsx'
import { DialogButton } from '../../ui/dialog.tsx'
import { Panel, Stack } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { PasswordDialog } from '../account/password-dialog.tsx'
import { proofOf } from '../account/proof-fields.tsx'
import { PointList, RestoreButton } from '../replicas/restore-points.tsx'

const { checkBackup, deleteBackup, listBackups } = com.core.admin

/** The backups of this computer. While the server does not answer, the desktop restores from them only. */
export function BackupPoints() {
  return (
    <Loaded query={useBackups()} rows={2}>
      {({ points, folder }) => (
        <Stack>
          <PointList
            actions={(point) => (
              <>
                {point.id !== undefined && <TestButton id={point.id} point={point} />}
                <RestoreButton at={point.at} point={point} source={ownBackups} />
                {point.id !== undefined && <DeleteButton id={point.id} point={point} />}
              </>
            )}
            more={desktop && folder !== undefined && <OpenFolder />}
            name={t.copies.thisComputer}
            points={points}
          />
          {!desktop && folder !== undefined && <Elsewhere folder={folder} />}
        </Stack>
      )}
    </Loaded>
  )
}

interface ActionProps {
  readonly point: BackupPoint
  readonly id: string
}

function TestButton({ point, id }: ActionProps) {
  const check = useProcedure(checkBackup, [listBackups], { onError: toastError })
  const when = formatDateTime(point.at)
  return (
    <Button
      aria-label={point.proof ? t.restoring.checkAgainLabel(when) : t.restoring.checkLabel(when)}
      busy={check.isPending}
      onClick={() => check.mutate({ id })}
      size="s"
    >
      {point.proof ? t.restoring.checkAgain : t.restoring.check}
    </Button>
  )
}

function DeleteButton({ point, id }: ActionProps) {
  const restore = useProcedure(deleteBackup, [listBackups], {
    onError: (error, input) => toast(explain(error), () => restore.mutate(input)),
  })
  return (
    <DialogButton
      aria-label={t.backups.deleteLabel(formatDateTime(point.at))}
      dialog={(close) => (
        <DeleteDialog
          id={id}
          onClose={close}
          onDeleted={() => toast(t.backups.deleted, () => restore.mutate({ id, undo: true }))}
        />
      )}
      size="s"
      variant="quiet"
    >
      {t.backups.delete}
    </DialogButton>
  )
}

interface DeleteDialogProps {
  readonly id: string
  onClose(): void
  onDeleted(): void
}

function DeleteDialog({ id, onClose, onDeleted }: DeleteDialogProps) {
  const remove = useProcedure(deleteBackup, [listBackups], {
    onSuccess() {
      onClose()
      onDeleted()
    },
  })
  return (
    <PasswordDialog
      action={t.backups.delete}
      busy={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onSubmit={(field) => remove.mutate({ id, ...proofOf(field) })}
      title={t.backups.deleteTitle}
      variant="danger"
    >
      <p>{t.backups.deleteText}</p>
    </PasswordDialog>
  )
}

function OpenFolder() {
  return (
    <Button onClick={() => void callDesktop('app.openFolder', 'backups')} size="s">
      {t.ui.openFolder}
    </Button>
  )
}

/** A browser cannot open the folder. */
function Elsewhere({ folder }: { readonly folder: string }) {
  return (
    <Panel>
      <CopyField label={t.ui.copyPath} name={t.backups.folder} text={folder} />
    </Panel>
  )
}
