import { com } from '../../../lexicons/generated/index.ts'
import type { Body } from '../../api/client.ts'
import { useXrpcQuery } from '../../api/hooks.ts'
import { t } from '../../strings/en.ts'
import { formatNumber } from '../../strings/format.ts'
import { Panel, Section } from '../../ui/page.tsx'
import { Badge, Loaded } from '../../ui/states.tsx'
import { OmittedRecords } from './omitted-records.tsx'
import styles from './stored-data-section.module.css'

/** Counts of the data that the server stores for the account. */
export function StoredDataSection() {
  const status = useXrpcQuery(com.core.server.checkAccountStatus, {})
  return (
    <Section lead={t.account.storedDataLead} title={t.account.storedData}>
      <Loaded query={status} rows={2}>
        {(figures) => (
          <Panel>
            <dl className={styles.figures}>
              {rowsOf(figures).map(({ name, value }) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
            {figures.omittedRecords && <OmittedRecords omitted={figures.omittedRecords} />}
          </Panel>
        )}
      </Loaded>
    </Section>
  )
}

function rowsOf(figures: Body<typeof com.core.server.checkAccountStatus.main>) {
  const {
    validDid,
    indexedRecords,
    repoBlocks,
    importedBlobs,
    expectedBlobs,
    privateStateValues,
    repoRev,
    mediaBytes,
    mediaLimit,
    omittedRecords,
  } = figures
  const blobs = t.account.blobsOf(formatNumber(importedBlobs), formatNumber(expectedBlobs))
  return [
    {
      name: t.account.validDid,
      value: (
        <Badge variant={validDid ? 'good' : 'warn'}>
          {validDid ? t.account.validDidYes : t.account.validDidNo}
        </Badge>
      ),
    },
    { name: t.account.records, value: formatNumber(indexedRecords) },
    ...(omittedRecords ? [{ name: t.account.omitted, value: formatNumber(omittedRecords.count) }] : []),
    { name: t.account.blocks, value: formatNumber(repoBlocks) },
    ...(expectedBlobs > 0 ? [{ name: t.account.blobs, value: blobs }] : []),
    ...(mediaBytes === undefined || (mediaBytes === 0 && mediaLimit === undefined)
      ? []
      : [{ name: t.account.media, value: t.account.mediaOf(mediaBytes, mediaLimit) }]),
    { name: t.account.privateValues, value: formatNumber(privateStateValues) },
    ...(repoRev ? [{ name: t.account.revision, value: <code>{repoRev}</code> }] : []),
  ]
}
