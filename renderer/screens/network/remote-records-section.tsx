import { useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { useProcedure, useXrpcQuery } from '../../api/hooks.ts'
import { t } from '../../strings/en.ts'
import { formatBytes } from '../../strings/format.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Meter } from '../../ui/meter.tsx'
import { Panel, Row, Section } from '../../ui/page.tsx'
import { Notice } from '../../ui/states.tsx'
import type { Network } from './owner-sections.tsx'
import { Points } from './points.tsx'

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
  const [isAsking, setAsking] = useState(false)
  const purge = useProcedure(purgeRemoteRecords, [getNetwork], { onSuccess: () => setAsking(false) })
  const amount = records === 0 ? t.remoteRecords.none : t.remoteRecords.records(records)
  const used = t.remoteRecords.used(formatBytes(bytes), formatBytes(limit))
  return (
    <Section lead={t.remoteRecords.lead} title={t.remoteRecords.title}>
      <Problem usage={usage} />
      <Panel>
        <Row
          action={
            (records > 0 || isPurging) && (
              <Button busy={isPurging} onClick={() => setAsking(true)}>
                {t.remoteRecords.purge}
              </Button>
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
        {isPurging ? t.remoteRecords.purging : purge.isSuccess && t.remoteRecords.purged}
      </p>
      {isAsking && (
        <ConfirmDialog
          action={t.remoteRecords.purgeConfirm}
          busy={purge.isPending}
          error={purge.error}
          onClose={() => setAsking(false)}
          onSubmit={() => purge.mutate(undefined)}
          title={t.remoteRecords.purgeTitle}
        >
          <Points texts={t.remoteRecords.purgeText} />
        </ConfirmDialog>
      )}
    </Section>
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
