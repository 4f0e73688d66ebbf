import type { ServerState } from '../../../electron/bridge.ts'
import { callDesktop, useDesktopCall } from '../../api/desktop.ts'
import { BackupList } from '../../parts/backup-list.tsx'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { CopyField } from '../../ui/copy.tsx'
import { DialogButton } from '../../ui/dialog-button.tsx'
import { FormError, Notice } from '../../ui/states.tsx'
import styles from './halted.module.css'
import { SalvageDialog } from './salvage-dialog.tsx'
import { Stage, StageActions } from './stage.tsx'
import { UseAnotherPort } from './use-another-port.tsx'

export type Failed = Extract<ServerState, { readonly kind: 'failed' }>

/** The reason of a failed start, with remedies. */
export function Failure({ state }: { readonly state: Failed }) {
  const { failure, message, path, port } = state
  const start = useDesktopCall('server.start')
  return (
    <Stage title={failure === 'port-taken' ? t.halted.titles[failure](port) : t.halted.titles[failure]}>
      <Notice live variant="danger">
        {message}
      </Notice>
      <p>{t.halted.nextSteps[failure]}</p>
      {path && (
        <div className={styles.framed}>
          <CopyField label={t.halted.copyPath} name={t.halted.path} text={path} />
        </div>
      )}
      <FormError error={start.error} />
      <StageActions>
        {failure === 'damaged' && (
          <DialogButton dialog={(close) => <SalvageDialog onClose={close} />} variant="primary">
            {t.salvage.open}
          </DialogButton>
        )}
        <Button
          busy={start.isPending}
          variant={failure === 'damaged' ? 'plain' : 'primary'}
          onClick={() => start.mutate([])}
        >
          {t.halted.retry}
        </Button>
        {path && (
          <Button onClick={() => void callDesktop('app.openFolder', 'data')}>{t.halted.openFolder}</Button>
        )}
      </StageActions>
      {failure === 'port-taken' && <UseAnotherPort />}
      {failure === 'damaged' && (
        <section className={styles.more}>
          <h2>{t.halted.backups}</h2>
          <BackupList />
        </section>
      )}
    </Stage>
  )
}
