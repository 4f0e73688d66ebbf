import { useMutation } from '@tanstack/react-query'
import type { ServerState } from '../../../electron/ground/bridge.ts'
import { callDesktop, DesktopError, useDesktopCall, useDesktopQuery } from '../../api/desktop.ts'
import { BackupPoints } from '../../parts/backups/backup-points.tsx'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { CopyField } from '../../ui/copy.tsx'
import { DialogButton } from '../../ui/dialog.tsx'
import { Panel } from '../../ui/page.tsx'
import { FormError, Notice } from '../../ui/states.tsx'
import styles from './halted.module.css'
import { SalvageDialog } from './salvage-dialog.tsx'
import { Stage, StageActions } from './stage.tsx'

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
        <Panel>
          <CopyField label={t.ui.copyPath} name={t.halted.path} text={path} />
        </Panel>
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
          {t.ui.retry}
        </Button>
        {path && (
          <Button onClick={() => void callDesktop('app.openFolder', 'data')}>{t.ui.openFolder}</Button>
        )}
      </StageActions>
      {failure === 'port-taken' && <UseAnotherPort />}
      {failure === 'damaged' && (
        <section className={styles.more}>
          <h2>{t.halted.backups}</h2>
          <BackupPoints />
        </section>
      )}
    </Stage>
  )
}

/** Offers a free port and shows the address that it leads to. */
function UseAnotherPort() {
  const { data: port } = useDesktopQuery('server.freePort')
  const move = useMutation({
    networkMode: 'always',
    mutationFn: async (to: number) => {
      const problems = await callDesktop('settings.change', { port: String(to) })
      if (problems.port) throw new DesktopError(problems.port)
      await callDesktop('server.start')
    },
  })
  if (port === undefined) return null
  return (
    <section className={styles.more}>
      <Panel>
        <CopyField label={t.ui.copyAddress} name={t.halted.newAddress} text={`http://localhost:${port}`} />
      </Panel>
      <FormError error={move.error} />
      <div>
        <Button busy={move.isPending} onClick={() => move.mutate(port)}>
          {t.halted.anotherPort(port)}
        </Button>
      </div>
    </section>
  )
}
