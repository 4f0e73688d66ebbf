import { Monitor } from 'lucide-react'
import type { RestorePoint } from '../../../electron/ground/bridge.ts'
import { com } from '../../../lexicons/generated/index.ts'
import { useBackups } from '../../api/backups.ts'
import { useProcedure } from '../../api/hooks.ts'
import { type ServerSettingsView, useServerSettings } from '../../api/settings.ts'
import { t } from '../../strings/en.ts'
import { formatBytes } from '../../strings/format.ts'
import { Button } from '../../ui/button.tsx'
import { Badge, ErrorState, Notice } from '../../ui/states.tsx'
import { Switch } from '../../ui/switch.tsx'
import { Since } from '../../ui/time.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { BackupPoints } from '../backups/backup-points.tsx'
import { fixedHint, useSetting } from '../settings/settings.ts'
import { ReplicaRow } from './replica-row.tsx'
import styles from './replicas.module.css'
import { PointFacts } from './restore-points.tsx'

/** The backups of this computer. */
export function LocalRow() {
  const query = useBackups()
  const { data: view } = useServerSettings()
  const { points = [], isMaking, folder } = query.data ?? {}
  const [newest] = points
  const state = stateOf(newest)
  const problem = newest?.proof?.problem
  return (
    <ReplicaRow
      action={
        // Callers who may use it get the folder, too.
        folder !== undefined && <MakeButton isMaking={isMaking === true} />
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
      points={newest && <BackupPoints />}
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

const { listBackups, makeBackup } = com.core.admin

/** @param isMaking whether a backup is being made, also by another page or the daily job */
function MakeButton({ isMaking }: { readonly isMaking: boolean }) {
  const make = useProcedure(makeBackup, [listBackups], {
    onSuccess: ({ bytes, proof }) =>
      toast(
        proof?.problem === undefined
          ? t.backups.created(formatBytes(bytes))
          : t.copies.newestNotRestorable(proof.problem),
      ),
    onError: toastError,
  })
  const isBusy = make.isPending || isMaking
  return (
    <>
      <Button busy={isBusy} onClick={() => make.mutate(undefined)} size="s" variant="primary">
        {t.backups.create}
      </Button>
      <span className="visually-hidden" role="status">
        {isBusy ? t.backups.creating : ''}
      </span>
    </>
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

function AutomaticSwitch({ view }: { readonly view: ServerSettingsView }) {
  const [isOn, change] = useSetting(view, 'automaticBackups')
  return (
    <div>
      <Switch
        checked={isOn}
        disabled={fixedHint(view, 'automaticBackups') !== undefined}
        label={t.settings.switches.automaticBackups}
        onChange={change}
      />
      <p className={styles.hint}>
        {fixedHint(view, 'automaticBackups') ?? t.settings.switchDetails.automaticBackups}
        {view.waiting?.includes('automaticBackups') && ` ${t.server.laterNote}`}
      </p>
    </div>
  )
}
