import { Monitor } from 'lucide-react'
import type { RestorePoint, SettingsView } from '../../../electron/bridge.ts'
import { usePoints } from '../../api/copies.ts'
import { useDesktopCall, useDesktopQuery } from '../../api/desktop.ts'
import { t } from '../../strings/en.ts'
import { formatBytes } from '../../strings/format.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorState, Notice } from '../../ui/states.tsx'
import { Switch } from '../../ui/switch.tsx'
import { RelativeTime, Since } from '../../ui/time.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { useSetting } from '../settings.ts'
import styles from './copies.module.css'
import { ReplicaRow } from './replica-row.tsx'

export const ownBackups = { from: 'backups' } as const

/** The backups of this computer. Only in the desktop. */
export function LocalRow() {
  const query = usePoints(ownBackups)
  const { data: view } = useDesktopQuery('settings.view')
  const make = useDesktopCall('backups.make', ['restore.points'], {
    onSuccess: ({ bytes = 0 }) => toast(t.backups.created(formatBytes(bytes))),
    onError: toastError,
  })
  const points = query.data ?? []
  const [newest] = points
  const problem = newest?.proof?.problem
  return (
    <ReplicaRow
      action={
        <>
          <Button busy={make.isPending} onClick={() => make.mutate([])} size="s" variant="primary">
            {t.backups.create}
          </Button>
          <span className="visually-hidden" role="status">
            {make.isPending ? t.backups.creating : ''}
          </span>
        </>
      }
      detail={newest ? <Newest point={newest} /> : query.isSuccess && t.copies.noBackup}
      icon={<Monitor aria-hidden size={20} strokeWidth={1.75} />}
      name={t.copies.thisComputer}
      source={newest && ownBackups}
      state={query.isSuccess ? stateOf(newest) : undefined}
    >
      {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      {problem !== undefined && (
        <Notice variant="danger">
          {t.copies.newestNotRestorable(problem)}{' '}
          <Since at={lastProof(points)} never={t.copies.neverTested} text={t.copies.lastTested} />
        </Notice>
      )}
      {view && <AutomaticSwitch view={view} />}
    </ReplicaRow>
  )
}

function stateOf(newest: RestorePoint | undefined) {
  if (!newest) return { text: t.copies.localStates.none, variant: 'warn' } as const
  const { proof } = newest
  if (proof?.problem !== undefined) return { text: t.copies.localStates.damaged, variant: 'danger' } as const
  return proof
    ? ({ text: t.copies.localStates.tested, variant: 'good' } as const)
    : ({ text: t.copies.localStates.untested, variant: 'plain' } as const)
}

/** Returns when a backup was last proven restorable. */
function lastProof(points: readonly RestorePoint[]): string | undefined {
  return points
    .flatMap(({ proof }) => proof?.provenAt ?? [])
    .toSorted()
    .at(-1)
}

function Newest({ point: { at, bytes = 0, proof } }: { readonly point: RestorePoint }) {
  return (
    <>
      {t.copies.backedUp} <RelativeTime at={at} />
      {proof?.provenAt !== undefined && (
        <>
          {' · '}
          {t.copies.tested} <RelativeTime at={proof.provenAt} />
        </>
      )}
      {` · ${formatBytes(bytes)}`}
    </>
  )
}

function AutomaticSwitch({ view }: { readonly view: SettingsView }) {
  const [isOn, change] = useSetting(view, 'automaticBackups')
  return (
    <div>
      <Switch checked={isOn} label={t.settings.switches.automaticBackups} onChange={change} />
      <p className={styles.hint}>{t.settings.switchDetails.automaticBackups}</p>
    </div>
  )
}
