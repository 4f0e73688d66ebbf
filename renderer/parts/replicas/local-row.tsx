import { Monitor } from 'lucide-react'
import type { RestorePoint, SettingsView } from '../../../electron/ground/bridge.ts'
import { usePoints } from '../../api/copies.ts'
import { useDesktopCall, useDesktopQuery } from '../../api/desktop.ts'
import { t } from '../../strings/en.ts'
import { formatBytes } from '../../strings/format.ts'
import { Button } from '../../ui/button.tsx'
import { Badge, ErrorState, Notice } from '../../ui/states.tsx'
import { Switch } from '../../ui/switch.tsx'
import { Since } from '../../ui/time.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { useSetting } from '../settings/settings.ts'
import { ReplicaRow } from './replica-row.tsx'
import styles from './replicas.module.css'
import { PointFacts } from './restore-points.tsx'

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
  const state = stateOf(newest)
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
      badges={query.isSuccess && <Badge variant={variants[state]}>{t.copies.localStates[state]}</Badge>}
      detail={
        newest ? (
          <>
            {t.copies.backedUp} <PointFacts point={newest} />
          </>
        ) : (
          query.isSuccess && t.copies.noBackup
        )
      }
      icon={<Monitor aria-hidden size={20} strokeWidth={1.75} />}
      name={t.copies.thisComputer}
      source={newest && ownBackups}
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

const variants = { none: 'warn', damaged: 'danger', tested: 'good', untested: 'plain' } as const

function stateOf(newest: RestorePoint | undefined): keyof typeof variants {
  if (!newest) return 'none'
  if (newest.proof?.problem !== undefined) return 'damaged'
  return newest.proof ? 'tested' : 'untested'
}

/** Returns when a backup was last proven restorable. */
function lastProof(points: readonly RestorePoint[]): string | undefined {
  return points
    .flatMap(({ proof }) => proof?.provenAt ?? [])
    .toSorted()
    .at(-1)
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
