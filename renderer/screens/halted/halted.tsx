import { serverState, useDesktopCall } from '../../api/desktop.ts'
import { useStore } from '../../store.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { Mark } from '../../ui/mark.tsx'
import { FormError } from '../../ui/states.tsx'
import { Failure } from './failure.tsx'
import styles from './halted.module.css'
import { Stage, StageActions } from './stage.tsx'

/** The whole window while the server is starting, stopped or failed to start. */
export function Halted() {
  const state = useStore(serverState)
  switch (state?.kind) {
    case 'failed':
      return <Failure state={state} />
    case 'stopped':
      return <Stopped />
    default:
      return <Passing title={state?.kind === 'stopping' ? t.halted.stopping : t.halted.starting} />
  }
}

/** A progress screen. CSS delays it, so that a quick start does not flash. */
function Passing({ title }: { readonly title: string }) {
  return (
    <main className={styles.passing}>
      <div className={styles.breathing}>
        <Mark size={56} />
      </div>
      <p role="status">{title}</p>
    </main>
  )
}

function Stopped() {
  const start = useDesktopCall('server.start')
  return (
    <Stage title={t.halted.stopped}>
      <p>{t.halted.stoppedText}</p>
      <FormError error={start.error} />
      <StageActions>
        <Button busy={start.isPending} variant="primary" onClick={() => start.mutate([])}>
          {t.server.start}
        </Button>
      </StageActions>
    </Stage>
  )
}
