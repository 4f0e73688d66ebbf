import { com } from '../../../lexicons/generated/index.ts'
import { useProcedure } from '../../api/hooks.ts'
import type { Upstream } from '../../api/upstreams.ts'
import { useDialogAction } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog, DialogButton } from '../../ui/dialog.tsx'
import { Row } from '../../ui/page.tsx'
import { serverName } from '../../ui/person.tsx'
import { Badge } from '../../ui/states.tsx'
import { Since } from '../../ui/time.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { connectionProblem } from './connection-problem.ts'
import styles from './network.module.css'

const { getNetwork, listUpstreams, removeUpstream, retryUpstream } = com.core.admin

const variants = {
  connecting: 'plain',
  live: 'good',
  catchingUp: 'plain',
  waiting: 'warn',
  cutOff: 'danger',
} as const
type State = keyof typeof variants

interface UpstreamRowProps {
  readonly upstream: Upstream
  /** Called by the undo of a removal. */
  onRestore(): void
}

/** A server that this one follows: its state, counts of events, and buttons to try again and to remove it. */
export function UpstreamRow({ upstream, onRestore }: UpstreamRowProps) {
  const { url, isConfigured } = upstream
  const name = serverName(url) ?? url
  const state = upstream.state in variants ? (upstream.state as State) : 'connecting'
  return (
    <Row
      action={
        <>
          {(state === 'waiting' || state === 'cutOff') && <Retry name={name} url={url} />}
          {!isConfigured && (
            <DialogButton
              aria-label={t.upstreams.removeLabel(name)}
              dialog={(close) => <RemoveDialog name={name} onClose={close} onRestore={onRestore} url={url} />}
              size="s"
            >
              {t.ui.remove}
            </DialogButton>
          )}
        </>
      }
      as="li"
      detail={<Detail upstream={upstream} />}
      title={
        <>
          {name}
          <Badge variant={variants[state]}>{stateText(state, upstream)}</Badge>
          {isConfigured && <Badge>{t.upstreams.configured}</Badge>}
        </>
      }
      top
    />
  )
}

function stateText(state: State, { retryAt, progress }: Upstream): string {
  if (state === 'catchingUp' && progress && progress.total > 0) return t.upstreams.catchingUp(progress)
  if (state === 'waiting' && retryAt !== undefined) return t.upstreams.waitingUntil(retryAt)
  return t.upstreams.states[state]
}

function Detail({ upstream }: { readonly upstream: Upstream }) {
  const { state, lastEventAt, eventsLastHour, storedLastHour, dropped, error, retryAt } = upstream
  return (
    <>
      <p>
        <Since at={lastEventAt} never={t.upstreams.noEvent} text={t.upstreams.lastEvent} />
        {' · '}
        {t.upstreams.events(eventsLastHour)}
        {' · '}
        {t.upstreams.kept(storedLastHour)}
      </p>
      {dropped && <p>{t.upstreams.dropped(dropped)}</p>}
      {error !== undefined && (
        <p className={styles.problem}>
          {connectionProblem(error)}{' '}
          {state === 'cutOff' && retryAt !== undefined && t.upstreams.retryAt(retryAt)}
        </p>
      )}
    </>
  )
}

interface ActionProps {
  readonly url: string
  readonly name: string
}

function Retry({ url, name }: ActionProps) {
  const retry = useProcedure(retryUpstream, [listUpstreams], { onError: toastError })
  return (
    <Button
      aria-label={t.upstreams.retryLabel(name)}
      busy={retry.isPending}
      onClick={() => retry.mutate({ url })}
      size="s"
    >
      {t.upstreams.retry}
    </Button>
  )
}

interface RemoveDialogProps extends ActionProps, Pick<UpstreamRowProps, 'onRestore'> {
  onClose(): void
}

function RemoveDialog({ url, name, onRestore, onClose }: RemoveDialogProps) {
  const remove = useDialogAction(removeUpstream, {
    invalidates: [listUpstreams, getNetwork],
    input: () => ({ url }),
    onDone: () => toast(t.upstreams.removed(name), onRestore),
    onClose,
  })
  return (
    <ConfirmDialog {...remove} action={t.ui.remove} title={t.upstreams.removeTitle(name)}>
      {t.upstreams.removeText}
    </ConfirmDialog>
  )
}
