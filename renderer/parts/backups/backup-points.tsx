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
import { Panel, Stack } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import styles from '../replicas/replicas.module.css'
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
                {desktop && <RestoreButton at={point.at} point={point} source={ownBackups} />}
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
  const change = useProcedure(deleteBackup, [listBackups], {
    onSuccess: (_, { undo }) => {
      if (!undo) toast(t.backups.deleted, () => change.mutate({ id, undo: true }))
    },
    onError: (error, { undo }) => toast(explain(error), undo ? () => change.mutate({ id, undo }) : undefined),
  })
  return (
    <Button
      aria-label={t.backups.deleteLabel(formatDateTime(point.at))}
      busy={change.isPending}
      onClick={() => change.mutate({ id })}
      size="s"
      variant="quiet"
    >
      {t.backups.delete}
    </Button>
  )
}

function OpenFolder() {
  return (
    <Button onClick={() => void callDesktop('app.openFolder', 'backups')} size="s">
      {t.ui.openFolder}
    </Button>
  )
}

/** What a browser cannot do: open the folder, and restore, for which the server has to be stopped. */
function Elsewhere({ folder }: { readonly folder: string }) {
  return (
    <>
      <Panel>
        <CopyField label={t.ui.copyPath} name={t.backups.folder} text={folder} />
      </Panel>
      <p className={styles.hint}>{t.backups.restoreByCommand}</p>
    </>
  )
}
