import { Link } from 'wouter'
import { com } from '../../../lexicons/generated/index.ts'
import { useIsOwner } from '../../api/account.ts'
import { isAtServer } from '../../api/endpoint.ts'
import { useXrpcQuery } from '../../api/hooks.ts'
import { t } from '../../strings/en.ts'
import { formatBytes } from '../../strings/format.ts'
import { Panel, Section } from '../../ui/page.tsx'
import { Legend } from '../../ui/plot.tsx'
import { Loaded } from '../../ui/states.tsx'
import styles from './storage.module.css'
import { type MeasuredDay, type Part, StorageHistory, sumOf } from './storage-history.tsx'

const ofAccount = ['records', 'media'] as const
const ofServer = ['database', 'media', 'backups'] as const

/** The space that the account uses, now and on the last days; for the owner also that of the server. */
export function StorageSection() {
  const usage = useXrpcQuery(com.core.server.getUsage, {})
  const isOwner = useIsOwner()
  return (
    <>
      <Section lead={t.storage.lead} title={t.storage.title}>
        <Loaded query={usage} rows={2}>
          {({ days }) => <Storage days={days} parts={ofAccount} />}
        </Loaded>
      </Section>
      {isOwner && <ServerStorageSection />}
    </>
  )
}

function ServerStorageSection() {
  const storage = useXrpcQuery(com.core.admin.getStorage, {})
  return (
    <Section lead={t.storage.serverLead} title={t.storage.serverTitle}>
      <Loaded query={storage} rows={2}>
        {({ days }) => <Storage days={days} parts={ofServer} />}
      </Loaded>
    </Section>
  )
}

interface StorageProps {
  /** Oldest first. The last one is now. */
  readonly days: readonly MeasuredDay[]
  readonly parts: readonly Part[]
}

function Storage({ days, parts }: StorageProps) {
  const now = days.at(-1)
  if (!now) return null
  const used = formatBytes(sumOf(now, parts))
  const { free } = now
  const total = free === undefined ? t.storage.total(used) : t.storage.serverTotal(used, formatBytes(free))
  const shown = parts.map((kind) => ({ kind, bytes: now[kind] ?? 0 }))
  return (
    <Panel padded>
      <div className={styles.storage}>
        <Bar label={total} parts={free === undefined ? shown : [...shown, { kind: 'free', bytes: free }]} />
        <Legend
          items={shown.map(({ kind, bytes }) => ({
            kind,
            name: <PartName kind={kind} />,
            value: formatBytes(bytes),
          }))}
        />
        <p className={styles.note}>{total}</p>
        <StorageHistory days={days} parts={parts} />
      </div>
    </Panel>
  )
}

/** Backups have a screen of their own, on the computer of the server. */
function PartName({ kind }: { readonly kind: Part }) {
  const name = t.storage.kinds[kind]
  return kind === 'backups' && isAtServer ? <Link href="/backups">{name}</Link> : name
}

interface BarProps {
  readonly label: string
  readonly parts: readonly { readonly kind: string; readonly bytes: number }[]
}

/** The parts side by side, each at least as wide as a hairline. */
function Bar({ label, parts }: BarProps) {
  return (
    <div aria-label={label} className={styles.bar} role="img">
      {parts.map(
        ({ kind, bytes }) =>
          bytes > 0 && (
            <span data-kind={kind} key={kind} style={{ flexGrow: bytes }} title={formatBytes(bytes)} />
          ),
      )}
    </div>
  )
}
