import { useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { useXrpcQuery } from '../../api/hooks.ts'
import { useDialogAction } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { formatBytes } from '../../strings/format.ts'
import { ConfirmDialog, DialogButton } from '../../ui/dialog.tsx'
import { Meter } from '../../ui/meter.tsx'
import { Panel, Row, Section } from '../../ui/page.tsx'
import { Notice } from '../../ui/states.tsx'
import type { Network } from './owner-sections.tsx'
import { Points } from './publication.tsx'

const { getNetwork, purgeRemoteRecords } = com.core.admin

type Usage = Network['remoteRecords']

const pollMs = 1000
/** The part of the limit from which the screen explains the limit. */
const nearlyFull = 0.9
/** Milliseconds for which a refusal is shown. */
const refusalMs = 60 * 60_000

/** The room that records of other servers take, and their deletion. */
export function RemoteRecordsSection({ usage }: { readonly usage: Usage }) {
  const { records, bytes, limit, isPurging } = usage
  useXrpcQuery(getNetwork, {}, { pollMs: (data) => data?.remoteRecords.isPurging === true && pollMs })
  const [hasPurged, setPurged] = useState(false)
  const amount = records === 0 ? t.remoteRecords.none : t.remoteRecords.records(records)
  const used = t.remoteRecords.used(formatBytes(bytes), formatBytes(limit))
  return (
    <Section lead={t.remoteRecords.lead} title={t.remoteRecords.title}>
      <Problem usage={usage} />
      <Panel>
        <Row
          action={
            (records > 0 || isPurging) && (
              <DialogButton
                busy={isPurging}
                dialog={(close) => <PurgeDialog onClose={close} onDone={() => setPurged(true)} />}
              >
                {t.remoteRecords.purge}
              </DialogButton>
            )
          }
          detail={
            <>
              <Meter label={t.remoteRecords.title} max={limit} title={used} value={bytes} />
              <p>{isPurging ? t.remoteRecords.left(records) : amount}</p>
            </>
          }
          title={used}
        />
      </Panel>
      <p className="visually-hidden" role="status">
        {isPurging ? t.remoteRecords.purging : hasPurged && t.remoteRecords.purged}
      </p>
    </Section>
  )
}

function PurgeDialog(effects: { onDone(): void; onClose(): void }) {
  const purge = useDialogAction(purgeRemoteRecords, { invalidates: [getNetwork], ...effects })
  return (
    <ConfirmDialog {...purge} action={t.remoteRecords.purgeConfirm} title={t.remoteRecords.purgeTitle}>
      <Points texts={t.remoteRecords.purgeText} />
    </ConfirmDialog>
  )
}

/** Explains the effect of the limit, with a remedy. */
function Problem({ usage: { bytes, limit, lastRefusedAt } }: { readonly usage: Usage }) {
  if (bytes < limit * nearlyFull) return null
  const isRefusing = lastRefusedAt !== undefined && Date.now() - Date.parse(lastRefusedAt) < refusalMs
  return isRefusing ? (
    <Notice variant="warn">{t.remoteRecords.refusing}</Notice>
  ) : (
    <Notice>{t.remoteRecords.full}</Notice>
  )
}
