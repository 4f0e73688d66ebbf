import { Archive, FileText, Images } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { com } from '../../../lexicons/generated/index.ts'
import { useBackups } from '../../api/backups.ts'
import type { Body } from '../../api/client.ts'
import { useXrpcQuery } from '../../api/hooks.ts'
import { t } from '../../strings/en.ts'
import { formatBytes } from '../../strings/format.ts'
import { Meter } from '../../ui/meter.tsx'
import { Panel, Row, Section } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import styles from './storage.module.css'

interface Part {
  readonly name: string
  /** The screen that shows it, unless it is this one. */
  readonly path?: string
  readonly icon: ReactNode
  readonly bytes: number
}

/** Used space: records, media and, where they can be read, backups. */
export function StorageSection() {
  const usage = useXrpcQuery(com.core.server.getUsage, {})
  return (
    <Section lead={t.storage.lead} title={t.storage.title}>
      <Loaded query={usage} rows={2}>
        {(data) => <Parts parts={partsOf(data)} />}
      </Loaded>
    </Section>
  )
}

function partsOf({ collections, blobs }: Body<typeof com.core.server.getUsage.main>): readonly Part[] {
  return [
    {
      name: t.storage.records,
      icon: <FileText aria-hidden size={20} strokeWidth={1.75} />,
      bytes: collections.reduce((sum, { bytes }) => sum + bytes, 0),
    },
    {
      name: t.storage.media,
      icon: <Images aria-hidden size={20} strokeWidth={1.75} />,
      bytes: blobs.bytes,
    },
  ]
}

function useBackupsPart(): readonly Part[] {
  const { data } = useBackups()
  if (!data) return []
  const bytes = data.points.reduce((sum, point) => sum + (point.bytes ?? 0), 0)
  const icon = <Archive aria-hidden size={20} strokeWidth={1.75} />
  return [{ name: t.storage.backups, path: '/backups', icon, bytes }]
}

function Parts({ parts: ofAccount }: { readonly parts: readonly Part[] }) {
  const parts = [...ofAccount, ...useBackupsPart()]
  const total = parts.reduce((sum, { bytes }) => sum + bytes, 0)
  return (
    <Panel>
      {parts.map(({ name, path, icon, bytes }) => (
        <Row
          action={<span className={styles.bytes}>{formatBytes(bytes)}</span>}
          detail={<Meter label={name} max={total} title={formatBytes(bytes)} value={bytes} />}
          icon={icon}
          key={name}
          title={path === undefined ? name : <Link href={path}>{name}</Link>}
        />
      ))}
      <p className={styles.note}>{t.storage.total(formatBytes(total))}</p>
    </Panel>
  )
}
