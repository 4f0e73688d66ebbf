import type { BackupContent } from '../../electron/bridge.ts'
import { t } from '../strings/en.ts'
import { formatBytes, formatDateTime, formatNumber } from '../strings/format.ts'
import styles from './backups.module.css'

const shownHandles = 5

/** The contents of a backup, shown before it is restored. */
export function Content({ content }: { readonly content: BackupContent }) {
  const { createdAt, bytes, handles, records, notifications } = content
  const hidden = handles.length - shownHandles
  return (
    <dl className={styles.content}>
      <dt>{t.backups.content.createdAt}</dt>
      <dd>{formatDateTime(createdAt)}</dd>
      <dt>{t.backups.content.size}</dt>
      <dd>{formatBytes(bytes)}</dd>
      <dt>{t.backups.content.accounts}</dt>
      <dd>
        {handles.length === 0 ? t.backups.noAccounts : handles.slice(0, shownHandles).join(', ')}
        {hidden > 0 && ` ${t.backups.andMore(hidden)}`}
      </dd>
      <dt>{t.backups.content.records}</dt>
      <dd>{formatNumber(records)}</dd>
      <dt>{t.backups.content.notifications}</dt>
      <dd>{formatNumber(notifications)}</dd>
    </dl>
  )
}
