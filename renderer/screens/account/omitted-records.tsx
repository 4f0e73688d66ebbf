import type { com } from '../../../lexicons/generated/index.ts'
import type { Body } from '../../api/client.ts'
import { collectionName } from '../../parts/collection-name.ts'
import { t } from '../../strings/en.ts'
import styles from './stored-data-section.module.css'

type Omitted = NonNullable<Body<typeof com.core.server.checkAccountStatus.main>['omittedRecords']>

/** Records that an import left out of the index, each with the reason. */
export function OmittedRecords({ omitted: { count, records } }: { readonly omitted: Omitted }) {
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
