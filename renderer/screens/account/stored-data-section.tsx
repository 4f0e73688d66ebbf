import { com } from '../../../lexicons/generated/index.ts'
import type { Body } from '../../api/client.ts'
import { useXrpcQuery } from '../../api/hooks.ts'
import { collectionName } from '../../parts/apps/collection-name.ts'
import { t } from '../../strings/en.ts'
import { formatNumber } from '../../strings/format.ts'
import { Panel, Section } from '../../ui/page.tsx'
import { Badge, Loaded } from '../../ui/states.tsx'
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
  const { validDid, indexedRecords, importedBlobs, expectedBlobs, mediaBytes, mediaLimit, omittedRecords } =
    figures
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
    ...(expectedBlobs > 0 ? [{ name: t.account.blobs, value: blobs }] : []),
    ...(mediaBytes === undefined || (mediaBytes === 0 && mediaLimit === undefined)
      ? []
      : [{ name: t.account.media, value: t.account.mediaOf(mediaBytes, mediaLimit) }]),
  ]
}

type Omitted = NonNullable<Body<typeof com.core.server.checkAccountStatus.main>['omittedRecords']>

/** Records that an import left out of the index, each with the reason. */
function OmittedRecords({ omitted: { count, records } }: { readonly omitted: Omitted }) {
  const more = count - records.length
  return (
    <div className={styles.omitted}>
      <p>{t.account.omittedLead}</p>
      <ul aria-label={t.account.omitted}>
        {records.map(({ key, reason }) => {
          const slash = key.indexOf('/')
          return (
            <li key={key}>
              <span className={styles.omittedName}>
                {collectionName(key.slice(0, slash))} <code>{key.slice(slash + 1)}</code>
              </span>
              <span className={styles.omittedReason}>{t.account.omittedReasons[reason]}</span>
            </li>
          )
        })}
      </ul>
      {more > 0 && <p>{t.account.omittedMore(more)}</p>}
    </div>
  )
}
